'use client';

import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cn } from '../../lib/cn.ts';
import { shortenMiddle } from '../../lib/format.ts';
import { copyText } from './copy.ts';
import { Hint } from './tooltip.tsx';

export interface IdChipProps {
  id: string;
  /** What it identifies, for those who hear the button: "project ID". */
  label: string;
  /** Shows all of it; for places that have the room. */
  whole?: boolean;
  className?: string;
}

/** An identifier: shortened in the middle, whole on hover, copied by a click. */
export function IdChip({ id, label, whole = false, className }: IdChipProps) {
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);

  const Icon = copied ? Check : Copy;
  const shown = whole ? id : shortenMiddle(id);
  return (
    <Hint text={copied ? 'Copied' : <code className="break-all">{id}</code>}>
      <button
        type="button"
        aria-label={`Copy ${label} ${shown}`}
        onClick={async () => setCopied(await copyText(id))}
        className={cn(
          'group inline-flex h-6 max-w-full items-center gap-1 rounded border bg-sunken px-2 font-mono text-small text-ink transition-colors hover:border-line-strong',
          className,
        )}
      >
        <span className="truncate">{shown}</span>
        <Icon
          aria-hidden="true"
          className={cn('size-3 shrink-0', copied ? 'text-allow-text' : 'text-muted')}
        />
        <span role="status" className="sr-only">
          {copied ? 'Copied' : ''}
        </span>
      </button>
    </Hint>
  );
}
