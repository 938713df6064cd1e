import { clsx } from 'clsx';
import type { ComponentType, ReactNode } from 'react';

/** What is `normal` is a word without a box, so that the exceptions stand out; `alarm` and `warning` are seen from afar. */
export type Tone = 'allow' | 'deny' | 'limit' | 'neutral' | 'normal' | 'alarm' | 'warning';

const TONE_CLASSES = {
  allow: 'text-allow-text',
  normal: 'text-muted',
  deny: 'border px-1.5 border-deny/30 bg-deny-soft text-deny-text',
  limit: 'border px-1.5 border-limit/30 bg-limit-soft text-limit-text',
  neutral: 'border px-1.5 border-line bg-sunken text-muted',
  alarm: 'px-2 bg-alarm text-alarm-ink',
  warning: 'px-2 bg-warning text-warning-ink',
} as const satisfies Record<Tone, string>;

export interface ChipProps {
  tone?: Tone;
  icon?: ComponentType<{ className?: string; 'aria-hidden'?: 'true' }>;
  children: ReactNode;
  className?: string;
  /** Only screen readers read it. */
  isHidden?: boolean;
}

/** A word with an icon and a colour, so that nothing depends on colour alone. */
export function Chip(props: ChipProps) {
  const { tone = 'neutral', icon: Icon, children, className, isHidden } = props;
  return (
    <span
      className={clsx(
        'changes',
        isHidden
          ? 'sr-only'
          : [
              'inline-flex h-5 shrink-0 items-center gap-1 rounded text-small font-medium whitespace-nowrap',
              TONE_CLASSES[tone],
            ],
        className,
      )}
    >
      {Icon && <Icon aria-hidden="true" className="size-3.5 shrink-0" />}
      {children}
    </span>
  );
}
