import { CircleAlert, CircleCheck, CircleHelp } from 'lucide-react';
import type { Metadata } from 'next';
import { connection } from 'next/server';
import { ReloadButton } from '#components/reload-button.tsx';
import { SiteFooter, SiteHeader } from '#components/site-header.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { AbsoluteTime } from '#components/ui/time.tsx';
import { hasSession } from '#server/session.ts';
import { type CheckVerdict, isUp, measureStatus, type ServiceStatus } from '#server/status.ts';

export const metadata: Metadata = { title: 'Status', description: 'The current status of Ceiba.' };

export default async function StatusPage() {
  await connection();
  const services = await measureStatus();
  const allUp = services.every(isUp);
  const Icon = allUp ? CircleCheck : CircleAlert;
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader isSignedIn={await hasSession()} />
      <main id="content" className="mx-auto w-full max-w-[45rem] px-4 py-12 sm:px-8">
        <h1 className="flex items-start gap-3 text-display font-semibold tracking-[-0.025em]">
          <Icon
            aria-hidden="true"
            className={`mt-1 size-9 shrink-0 ${allUp ? 'text-allow' : 'text-deny'}`}
          />
          {headline(services)}
        </h1>
        <div className="mt-6 flex flex-wrap items-center gap-4 text-muted">
          <p>
            Measured <AbsoluteTime at={new Date()} />. No history is stored.
          </p>
          <ReloadButton />
        </div>
        <div className="mt-12 grid gap-8">
          {services.map((service) => (
            <ServiceSection key={service.name} service={service} />
          ))}
        </div>
      </main>
      <SiteFooter />
    </div>
  );
}

function ServiceSection({ service }: { service: ServiceStatus }) {
  return (
    <section aria-labelledby={service.name} className="border-t pt-6">
      <div className="flex flex-wrap items-baseline justify-between gap-2">
        <div>
          <h2 id={service.name} className="font-semibold">
            {service.name}
          </h2>
          <p className="text-small text-muted">{service.purpose}</p>
        </div>
        <p className="numbers text-small text-muted">
          {Math.round(service.tookMs)} ms
          {service.sha && (
            <>
              {' · build '}
              <code title={service.sha}>{service.sha.slice(0, 7)}</code>
            </>
          )}
        </p>
      </div>
      <ul className="mt-4 divide-y rounded border bg-surface">
        <StatusLine name="service" verdict={service.answered ? 'ok' : 'unavailable'} />
        {service.checks.map(({ name, verdict }) => (
          <StatusLine key={name} name={name} verdict={verdict} />
        ))}
      </ul>
    </section>
  );
}

const VERDICTS = {
  ok: { tone: 'allow', icon: CircleCheck, word: 'Working' },
  unavailable: { tone: 'deny', icon: CircleAlert, word: 'Unavailable' },
  unknown: { tone: 'neutral', icon: CircleHelp, word: 'Unknown' },
} as const satisfies Record<CheckVerdict, object>;

function StatusLine({ name, verdict }: { name: string; verdict: CheckVerdict }) {
  const { tone, icon, word } = VERDICTS[verdict];
  return (
    <li className="flex h-12 items-center justify-between gap-4 px-4">
      <span className="inline-block first-letter:uppercase">{name}</span>
      <Chip tone={tone} icon={icon}>
        {word}
      </Chip>
    </li>
  );
}

/** One sentence: everything works, or what is down. */
function headline(services: readonly ServiceStatus[]): string {
  const silent = services.filter(({ answered }) => !answered).map(({ name }) => `the ${name}`);
  const dependencies = services.flatMap(({ checks }) =>
    checks.filter(({ verdict }) => verdict === 'unavailable').map(({ name }) => `the ${name}`),
  );
  const down = [...new Set([...silent, ...dependencies])];
  if (down.length === 0) return 'Everything is working.';
  const [last, ...rest] = down.reverse();
  const subject = rest.length === 0 ? last : `${rest.reverse().join(', ')} and ${last}`;
  const sentence = `${subject} ${down.length === 1 ? 'is' : 'are'} not answering.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
