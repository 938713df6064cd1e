import type { QuotaUse, UsageSeries } from '@ceiba/schema';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { byTone } from '#components/usage/by-tone.ts';
import { formatCount, formatShare } from '#lib/format.ts';

export interface KeyFiguresProps {
  projectId: string;
  /** Of the last 24 hours, by outcome. */
  decisions: UsageSeries;
  use: QuotaUse;
  activeKeys: number;
  activeKeyCap: number;
}

/** The numbers of a project at a glance, each a link to its page. */
export function KeyFigures({ projectId, decisions, use, ...counts }: KeyFiguresProps) {
  const here = `/projects/${projectId}`;
  const denied = decisions.total - byTone(decisions).totals.allow;
  return (
    <dl className="numbers mb-4 grid grid-cols-2 gap-px overflow-hidden rounded border bg-line lg:grid-cols-4">
      <Figure name="Decisions in 24 hours" href={`${here}/usage?range=24h`}>
        {formatCount(decisions.total)}
      </Figure>
      <Figure name="Denied or limited" href={`${here}/usage?range=24h`}>
        {formatShare(denied, decisions.total)}
      </Figure>
      <Figure name="Quota used" href={`${here}/subscription`}>
        {use.monthlyQuota === null ? 'No quota' : formatShare(use.used, use.monthlyQuota)}
      </Figure>
      <Figure name="Active keys" href={`${here}/keys`} of={counts.activeKeyCap}>
        {formatCount(counts.activeKeys)}
      </Figure>
    </dl>
  );
}

interface FigureProps {
  name: string;
  href: string;
  /** The largest possible value. */
  of?: number;
  children: ReactNode;
}

function Figure({ name, href, of, children }: FigureProps) {
  return (
    <div className="relative bg-surface p-4 transition-colors hover:bg-hover">
      <dt className="text-small text-muted">{name}</dt>
      <dd className="text-title font-semibold">
        <Link href={href} className="rounded after:absolute after:inset-0">
          {children}
          <span className="sr-only">, {name}</span>
        </Link>
        {of !== undefined && (
          <span className="text-small font-normal text-muted"> of {formatCount(of)}</span>
        )}
      </dd>
    </div>
  );
}
