'use client';

import type { ReactNode } from 'react';
import { Notice } from '#components/ui/notice.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { useLinkSecret } from './use-link-secret.ts';

export interface LinkGateProps<Data> {
  /** The field of `read` that takes the secret. */
  field: string;
  read: FormAction<Data>;
  /** Keeps the secret in the tab under this name. */
  keptAs?: string;
  /** What to do where the link has no secret. */
  incomplete: ReactNode;
  /** What to do instead where the link does not work. */
  instead?: ReactNode;
  /** What the link is for, once the server knows it. */
  children: (data: Data, secret: string) => ReactNode;
}

/** Reads the secret of the link that led here, and says what is wrong with it. */
export function LinkGate<Data>(props: LinkGateProps<Data>) {
  const { incomplete, instead, children } = props;
  const { secret, answer } = useLinkSecret(props.field, props.read, props.keptAs);
  if (secret === undefined || (secret !== '' && answer.kind === 'idle')) {
    return <p className="text-muted">Reading the link…</p>;
  }
  if (answer.kind === 'done') return children(answer.data, secret);
  return (
    <div className="grid gap-4">
      {answer.kind === 'refused' ? (
        <Notice tone="error">{answer.message}</Notice>
      ) : (
        <p className="text-muted">{incomplete}</p>
      )}
      {instead}
    </div>
  );
}
