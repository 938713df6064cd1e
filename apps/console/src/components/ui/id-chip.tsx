'use client';

import { clsx } from 'clsx';
import { Check, Copy } from 'lucide-react';
import { shortenMiddle } from '../../lib/format.ts';
import { useCopy } from './copy.ts';
import { Hint } from './tooltip.tsx';

export interface IdChipProps {
  id: string;
  /** For screen readers: "project ID". */
  label: string;
  /** Shows the whole ID. */
  whole?: boolean;
  className?: string;
}

/** An ID: shortened in the middle, whole on hover; a click copies it. */
export function IdChip({ id, label, whole = false, className }: IdChipProps) {
  const { copied, copy } = useCopy(id);
  const Icon = copied ? Check : Copy;
  const shown = whole ? id : shortenMiddle(id);
  return (
    <Hint text={copied ? 'Copied' : <code className="break-all">{id}</code>}>
      <button
        type="button"
        aria-label={`Copy ${label} ${shown}`}
        onClick={copy}
        className={clsx(
          'group inline-flex h-6 max-w-full items-center gap-1 rounded border bg-sunken px-2 font-mono text-small text-ink transition-colors hover:border-line-strong',
          className,
        )}
      >
        <span className="truncate">{shown}</span>
        <Icon
          aria-hidden="true"
          className={clsx('size-3 shrink-0', copied ? 'text-allow-text' : 'text-muted')}
        />
        <span role="status" className="sr-only">
          {copied ? 'Copied' : ''}
        </span>
      </button>
    </Hint>
  );
}
