import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import type { Metadata } from 'next';
import { connection } from 'next/server';
import { ReloadButton } from '#components/reload-button.tsx';
import { SiteFooter, SiteHeader, SiteMain } from '#components/site-header.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Section } from '#components/ui/section.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { hasSession } from '#server/session.ts';
import { type CheckState, isUp, measureStatus, type ServiceStatus } from '#server/status.ts';
import { SOURCE_URL } from '../../env.ts';
import { headline } from './headline.ts';

export const metadata: Metadata = { title: 'Status', description: 'The current status of Ceiba.' };

export default async function StatusPage() {
  await connection();
  const services = await measureStatus();
  const allUp = services.every(isUp);
  const Icon = allUp ? CircleCheck : CircleAlert;
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader isSignedIn={await hasSession()} />
      <SiteMain className="pt-8 sm:pt-12">
        <h1 className="flex items-start gap-3 text-display font-semibold">
          <Icon
            aria-hidden="true"
            className={`mt-[0.125em] size-[0.9em] shrink-0 ${allUp ? 'text-brand' : 'text-deny'}`}
          />
          {headline(services)}
        </h1>
        <div className="mt-6 flex flex-wrap items-center gap-4 text-muted">
          <p>
            Measured <AbsoluteTime at={new Date()} />. No history is stored.
          </p>
          <ReloadButton />
        </div>
        <div className="mt-8">
          {services.map((service) => (
            <ServiceSection key={service.name} service={service} />
          ))}
        </div>
      </SiteMain>
      <SiteFooter sourceUrl={SOURCE_URL} />
    </div>
  );
}

function ServiceSection({ service }: { service: ServiceStatus }) {
  return (
    <Section
      title={service.name}
      description={service.purpose}
      actions={
        <p className="numbers text-small text-muted">
          {Math.round(service.tookMs)} ms
          {service.sha && (
            <>
              {' · build '}
              <code title={service.sha}>{service.sha.slice(0, 7)}</code>
            </>
          )}
        </p>
      }
    >
      <ul className="panel divide-y">
        <StatusLine name="service" state={service.answered ? 'ok' : 'unavailable'} />
        {service.checks.map(({ name, state }) => (
          <StatusLine key={name} name={name} state={state} />
        ))}
      </ul>
    </Section>
  );
}

const STATES = {
  ok: { tone: 'normal', icon: CircleCheck, children: 'Working' },
  unavailable: { tone: 'deny', icon: CircleAlert, children: 'Unavailable' },
  unknown: { tone: 'neutral', icon: CircleHelp, children: 'Unknown' },
} as const satisfies Record<CheckState, object>;

const StatusLine = ({ name, state }: { name: string; state: CheckState }) => (
  <li className="flex h-12 items-center justify-between gap-4 px-(--inset)">
    <span className="inline-block first-letter:uppercase">{name}</span>
    <Chip {...STATES[state]} />
  </li>
);
