import { cookies } from 'next/headers';
import { type Query, textOf, withQuery } from '../../lib/list-query.ts';
import { TIME_ZONE_COOKIE } from '../../lib/preferences.ts';
import { knownTimeZone } from '../../lib/time.ts';
import { TextLink } from '../ui/text-link.tsx';

/** The time zone that the URL asks for, and that of the viewer. */
export async function readZones(query: Query) {
  const viewerZone = knownTimeZone((await cookies()).get(TIME_ZONE_COOKIE)?.value);
  return { viewerZone, timeZone: textOf(query, 'zone') === 'local' ? viewerZone : 'UTC' };
}

export interface ZoneLinksProps {
  here: string;
  query: Query;
  timeZone: string;
  viewerZone: string;
}

/** Chooses the time zone of the hours; days are counted in UTC. */
export function ZoneLinks({ here, query, timeZone, viewerZone }: ZoneLinksProps) {
  if (viewerZone === 'UTC') return null;
  const zones = [
    { name: 'UTC', zone: undefined },
    { name: viewerZone, zone: 'local' },
  ];
  return (
    <nav aria-label="Time zone" className="flex gap-3 text-small">
      {zones.map(({ name, zone }) => (
        <TextLink
          key={name}
          href={withQuery(here, query, { zone })}
          scroll={false}
          aria-current={name === timeZone ? 'true' : undefined}
          className="text-muted aria-[current=true]:font-medium aria-[current=true]:text-ink aria-[current=true]:no-underline"
        >
          {name}
        </TextLink>
      ))}
    </nav>
  );
}
