import { clsx } from 'clsx';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const TONES = {
  info: { icon: Info, box: 'border-line bg-sunken', ink: 'text-muted' },
  done: { icon: CircleCheck, box: 'border-line bg-sunken', ink: 'text-ink' },
  warning: { icon: TriangleAlert, box: 'border-limit/40 bg-limit-soft', ink: 'text-limit-text' },
  error: { icon: CircleAlert, box: 'border-deny/40 bg-deny-soft', ink: 'text-deny-text' },
} as const;

export interface NoticeProps {
  tone?: keyof typeof TONES;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
  className?: string;
}

/** A message that stays on the page: what happened, and what to do about it. */
export function Notice({ tone = 'info', title, children, action, className }: NoticeProps) {
  const { icon: Icon, box, ink } = TONES[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : undefined}
      className={clsx(
        'flex flex-wrap items-start gap-x-3 gap-y-2 rounded border px-4 py-3',
        box,
        className,
      )}
    >
      <Icon aria-hidden="true" className={clsx('size-5 shrink-0', ink)} />
      <div className="min-w-48 flex-1">
        {title && <p className="font-medium">{title}</p>}
        {children && <div className={clsx(title && 'text-muted')}>{children}</div>}
      </div>
      {action}
    </div>
  );
}
