import type { UserSession } from '@ceiba/schema';
import { ActionButton } from '#components/submit-form.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { endOneSession } from '../actions.ts';

export interface SessionListProps {
  sessions: readonly (Omit<UserSession, 'userAgent'> & {
    /** "Firefox on Linux". */
    device: string;
    isCurrent: boolean;
  })[];
}

/** Where the user is signed in. The current session ends by signing out. */
export function SessionList({ sessions }: SessionListProps) {
  return (
    <ul aria-label="Sessions" className="panel divide-y">
      {sessions.map((session) => (
        <li
          key={session.sessionId}
          className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-(--inset) py-3"
        >
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
              {session.device}
              {session.isCurrent && <Chip>This browser</Chip>}
            </p>
            <p className="numbers text-small text-muted">
              {session.clientAddress !== null && (
                <>
                  <code>{session.clientAddress}</code>,{' '}
                </>
              )}
              signed in <RelativeTime at={session.createdAt} inRow />
              {session.lastSeenAt !== null && (
                <>
                  , last seen <RelativeTime at={session.lastSeenAt} inRow />
                </>
              )}
            </p>
          </div>
          {!session.isCurrent && (
            <ActionButton
              action={endOneSession}
              hidden={{ sessionId: session.sessionId }}
              done={{ title: 'Signed out', description: session.device }}
              size="sm"
            >
              Sign out<span className="sr-only"> {session.device}</span>
            </ActionButton>
          )}
        </li>
      ))}
    </ul>
  );
}
