import { QUOTA_NEARLY_USED } from '@ceiba/domain/constants';
import type { QuotaUse, UsageSeries } from '@ceiba/schema';
import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { Count } from '#components/ui/count.tsx';
import { Link } from '#components/ui/link.tsx';
import { byTone } from '#components/usage/by-tone.ts';
import { countChange, shareChange } from '#components/usage/change.ts';
import { formatShare } from '#lib/format.ts';

export interface KeyFiguresProps {
  projectId: string;
  /** Of the last 24 hours, by outcome. */
  decisions: UsageSeries;
  /** Of the 24 hours before. */
  before: UsageSeries;
  use: QuotaUse;
  activeKeys: number;
  activeKeyCap: number;
}

/** The numbers of a project at a glance, each a link to its page. */
export function KeyFigures({ projectId, decisions, before, use, ...counts }: KeyFiguresProps) {
  const here = `/projects/${projectId}`;
  const denied = deniedOf(decisions);
  return (
    <dl className="-mx-3 mb-6 grid grid-cols-2 gap-y-2 lg:grid-cols-4">
      <Figure
        name="Decisions in 24 hours"
        href={`${here}/usage?range=24h`}
        change={countChange(decisions.total, before.total)}
      >
        <Count>{decisions.total}</Count>
      </Figure>
      <Figure
        name="Denied or limited"
        href={`${here}/usage?range=24h`}
        change={shareChange(denied, deniedOf(before))}
      >
        {formatShare(...denied)}
      </Figure>
      <Figure name="Quota used" href={`${here}/subscription`} {...quotaState(use)}>
        {use.monthlyQuota === null ? 'No quota' : formatShare(use.used, use.monthlyQuota)}
      </Figure>
      <Figure name="Active keys" href={`${here}/keys`} of={counts.activeKeyCap}>
        <Count>{counts.activeKeys}</Count>
      </Figure>
    </dl>
  );
}

const deniedOf = (series: UsageSeries): [part: number, whole: number] => [
  series.total - byTone(series).totals.allow,
  series.total,
];

/** Whether the quota is an exception, in a word and a colour. */
function quotaState({ used, monthlyQuota }: QuotaUse): Pick<FigureProps, 'change' | 'tone'> {
  if (monthlyQuota === null || used < monthlyQuota * QUOTA_NEARLY_USED) return {};
  return used < monthlyQuota
    ? { change: 'Nearly used up', tone: 'warning' }
    : { change: 'Used up: calls that cost something are denied', tone: 'alarm' };
}

const TONES = { warning: 'text-limit-text', alarm: 'text-deny-text' } as const;

interface FigureProps {
  name: string;
  href: string;
  /** The largest possible value. */
  of?: number;
  /** Compared with the day before. */
  change?: string | undefined;
  /** Of an exception. */
  tone?: keyof typeof TONES | undefined;
  children: ReactNode;
}

function Figure({ name, href, of, change, tone, children }: FigureProps) {
  return (
    <div className="relative rounded px-3 py-2 transition-colors hover:bg-hover">
      <dt className="text-small text-muted">{name}</dt>
      <dd className={clsx('text-figure font-semibold', tone && TONES[tone])}>
        <Link href={href} className="rounded after:absolute after:inset-0">
          {children}
          <span className="sr-only">, {name}</span>
        </Link>
        {of !== undefined && (
          <span className="text-body font-normal tracking-normal text-muted">
            {' '}
            of <Count>{of}</Count>
          </span>
        )}
      </dd>
      {change && <dd className="text-small text-muted">{change}</dd>}
    </div>
  );
}
