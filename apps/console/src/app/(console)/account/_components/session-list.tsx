'use client';

import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { useToast } from '#components/ui/toast.tsx';
import { endOneSession } from '../actions.ts';

export interface SessionListProps {
  sessions: readonly {
    sessionId: string;
    /** "Firefox on Linux". */
    device: string;
    clientAddress: string | null;
    /** ISO 8601. */
    createdAt: string;
    lastSeenAt: string | null;
    isCurrent: boolean;
  }[];
}

/** Where the user is signed in. The current session ends by signing out. */
export function SessionList({ sessions }: SessionListProps) {
  const toast = useToast();
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
            <ActionForm
              action={endOneSession}
              hidden={{ sessionId: session.sessionId }}
              onDone={() => toast({ title: 'Signed out', description: session.device })}
            >
              {({ pending }) => (
                <Button type="submit" size="sm" pending={pending}>
                  Sign out<span className="sr-only"> {session.device}</span>
                </Button>
              )}
            </ActionForm>
          )}
        </li>
      ))}
    </ul>
  );
}
