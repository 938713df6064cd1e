import type { MatchExplanation } from '@ceiba/domain';
import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { PathCode } from '#components/ui/path-text.tsx';
import { PolicyWords } from './policy-preview.tsx';

export interface TryResultProps {
  call: { method: string; path: string };
  /** Null if no call is tried. */
  explained: MatchExplanation | null;
  /** The next step. */
  children: ReactNode;
}

/** Says in one sentence which policy matches a call, or why none does. */
export function TryResult({ call, explained, children }: TryResultProps) {
  return (
    <div
      aria-live="polite"
      className="flex min-h-8 flex-wrap items-center justify-between gap-x-6 gap-y-2"
    >
      {explained === null ? (
        <p className="text-muted">Choose a method and type a path to see which policy allows it.</p>
      ) : (
        <>
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
            <Words call={call} explained={explained} />
          </p>
          {children}
        </>
      )}
    </div>
  );
}

function Words({
  call,
  explained: { winner, path, ambiguous },
}: Omit<TryResultProps, 'children'> & { explained: MatchExplanation }) {
  if (winner) {
    return (
      <>
        <Check aria-hidden="true" className="size-5 text-allow-text" />
        <span>
          <span className="font-medium">Matches</span>
          {path !== null && path !== call.path && (
            <>
              {' '}
              as <PathCode>{path}</PathCode>
            </>
          )}
          :
        </span>
        <PolicyWords policy={winner} />
      </>
    );
  }
  return (
    <>
      <X aria-hidden="true" className="size-5 shrink-0 text-deny-text" />
      <span className="font-medium">No policy matches.</span>
      <span className="text-muted">
        {ambiguous ? (
          `The path ${ambiguous}. Only the pattern * matches it.`
        ) : (
          <>
            Even an active key is denied with <code>policy_no_match</code>.
          </>
        )}
      </span>
    </>
  );
}
