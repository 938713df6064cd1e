'use client';

import { clsx } from 'clsx';
import { shortenMiddle } from '../../lib/format.ts';
import { useCopy } from './copy.ts';
import { CopyIcon } from './copy-button.tsx';
import { Hint } from './tooltip.tsx';

export interface IdChipProps {
  id: string;
  /** For screen readers: "project ID". */
  label: string;
  /** Shows the whole ID. */
  whole?: boolean;
  className?: string;
}

const WORDS = { copied: 'Copied', refused: 'The browser refused to copy' } as const;

/** An ID: shortened in the middle, whole on hover; a click copies it. */
export function IdChip({ id, label, whole = false, className }: IdChipProps) {
  const { outcome, copy } = useCopy(id);
  const shown = whole ? id : shortenMiddle(id);
  return (
    <Hint text={outcome ? WORDS[outcome] : <code className="break-all">{id}</code>}>
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
        <CopyIcon outcome={outcome} className={clsx('size-3 shrink-0', !outcome && 'text-muted')} />
        <span role="status" className="sr-only">
          {outcome && WORDS[outcome]}
        </span>
      </button>
    </Hint>
  );
}
