import { clsx } from 'clsx';
import { Activity, Check, Gauge, Minus, X } from 'lucide-react';
import type { ReactNode } from 'react';

/** `live`: only the Runtime can check it, at the time of a call. */
export type GateState = 'passed' | 'denied' | 'limited' | 'not_reached' | 'live';

export interface Gate {
  id: string;
  name: ReactNode;
  state: GateState;
  /** The value that the gate checked. */
  saw?: ReactNode;
  /** How to fix it, if the gate denied the call. */
  remedy?: ReactNode;
}

const LOOKS = {
  passed: { icon: Check, dot: 'border-allow bg-allow-soft text-allow-text', word: 'passed' },
  denied: { icon: X, dot: 'border-deny bg-deny-soft text-deny-text', word: 'denied' },
  limited: { icon: Gauge, dot: 'border-limit bg-limit-soft text-limit-text', word: 'denied' },
  live: { icon: Activity, dot: 'border-line-strong bg-sunken text-muted', word: 'checked live' },
  not_reached: { icon: Minus, dot: 'border-line bg-surface text-muted', word: 'not reached' },
} as const satisfies Record<GateState, object>;

/** The checks of a decision in order, as stations on a line that ends at the one that denies. */
export function GateLine({ gates, label }: { gates: readonly Gate[]; label: string }) {
  return (
    <ol aria-label={label} className="grid">
      {gates.map((gate, index) => {
        const { icon: Icon, dot, word } = LOOKS[gate.state];
        const stopped = gate.state === 'denied' || gate.state === 'limited';
        return (
          <li key={gate.id} className="relative flex gap-4 pb-4 last:pb-0">
            {index < gates.length - 1 && (
              <span
                aria-hidden="true"
                className={clsx(
                  'absolute top-6 bottom-0 left-3 -translate-x-1/2 border-l-2',
                  gate.state === 'passed' ? 'border-allow/50' : 'border-dashed border-line',
                )}
              />
            )}
            <span
              className={clsx(
                'relative z-10 inline-flex size-6 shrink-0 items-center justify-center rounded-full border',
                dot,
                stopped && 'animate-close',
              )}
            >
              <Icon aria-hidden="true" className="size-3.5" />
            </span>
            <div
              className={clsx(
                'min-w-0 flex-1 flex-wrap items-baseline justify-between gap-x-4 sm:flex',
                gate.state === 'not_reached' && 'text-muted',
              )}
            >
              <p className={clsx(stopped && 'font-semibold')}>
                {gate.name}
                <span className="sr-only">: {word}</span>
              </p>
              {gate.saw && <p className="numbers text-small text-muted">{gate.saw}</p>}
              {gate.remedy && <div className="basis-full text-small text-muted">{gate.remedy}</div>}
            </div>
          </li>
        );
      })}
    </ol>
  );
}
