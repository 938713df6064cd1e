import { type Gate, GateLine } from '#components/gates.tsx';
import { SiteFooter, SiteHeader, SiteMain } from '#components/site-header.tsx';
import { ButtonLink } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { MethodChip, OutcomeChip } from '#components/ui/state-chips.tsx';
import { hasSession } from '#server/session.ts';
import { SOURCE_URL } from '../env.ts';

const HOST_CODE = `import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createExpressMiddleware } from '@ceiba/sdk/express';
const config = parseCeibaConfig({ runtimeBaseUrl, projectId, projectSecret });
const ceiba = createExpressMiddleware({ client: new CeibaRuntimeClient(config) });
app.get('/v1/reports', ceiba, (req, res) => res.json(reportsFor(req.ceiba)));`;

const EXAMPLE_GATES: readonly Gate[] = [
  { id: 'key', name: 'The key is active', saw: 'ceiba_4fJx09Qa…', state: 'passed' },
  { id: 'policy', name: 'A policy matches', saw: 'GET /v1/reports*', state: 'passed' },
  { id: 'subscription', name: 'The subscription is active', saw: 'Starter', state: 'passed' },
  { id: 'quota', name: 'The monthly quota has room', saw: '41,207 of 100,000', state: 'passed' },
  {
    id: 'rate',
    name: 'The rate limit has room',
    saw: '300 of 300 this minute',
    state: 'limited',
    remedy: 'Retry in 12 s. Denied requests do not use quota.',
  },
];

const PROMISES = [
  {
    title: 'Revocation is immediate',
    text: 'The very next decision denies a revoked key, on every instance. No cache delays it.',
  },
  {
    title: 'Limits are exact',
    text: 'All limits of a call are checked and charged in one atomic step. Two callers never share the last request.',
  },
  {
    title: 'Outages fail closed',
    text: 'If a database is down, the answer is an error: never an allow, and never “invalid key”.',
  },
  {
    title: 'Every allowed call is counted',
    text: 'Usage and quota survive a crash, and a wiped cache does not reset a quota.',
  },
] as const;

export default async function LandingPage() {
  const isSignedIn = await hasSession();
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader isSignedIn={isSignedIn} />
      <SiteMain>
        <div className="grid items-center gap-12 py-12 lg:grid-cols-[7fr_5fr] lg:py-20">
          <div>
            <h1 className="text-display font-semibold">
              Access control for the API you already run
            </h1>
            <p className="mt-6 max-w-xl text-heading tracking-normal text-muted">
              Your backend asks one question per request: should this be allowed? Ceiba answers with
              your keys, policies, plans and limits. There is no gateway in your traffic.
            </p>
            <div className="mt-8 flex flex-wrap gap-2">
              {!isSignedIn && (
                <ButtonLink variant="primary" href="/sign-up">
                  Create an account
                </ButtonLink>
              )}
              <ButtonLink variant={isSignedIn ? 'primary' : 'secondary'} href="/projects">
                Open the console
              </ButtonLink>
            </div>
          </div>
          <ExampleDecision />
        </div>
        <section aria-labelledby="host-code" className="border-t py-12">
          <h2 id="host-code" className="text-heading">
            Five lines in your API
          </h2>
          <p className="mt-2 mb-6 max-w-2xl text-muted">
            This is Express; Fastify, Hono, Next.js and fetch handlers take no more. You get the
            three values when you create a project.
          </p>
          <CodeBlock tabs={[{ name: 'server.ts', code: HOST_CODE }]} />
        </section>
        <section aria-labelledby="promises" className="border-t pt-12">
          <h2 id="promises" className="text-heading">
            What you can rely on
          </h2>
          <dl className="mt-6 grid gap-x-12 gap-y-8 sm:grid-cols-2">
            {PROMISES.map(({ title, text }) => (
              <div key={title}>
                <dt className="font-semibold">{title}</dt>
                <dd className="mt-1 text-muted">{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      </SiteMain>
      <SiteFooter sourceUrl={SOURCE_URL} />
    </div>
  );
}

function ExampleDecision() {
  return (
    <figure className="card">
      <figcaption className="mb-6 flex flex-wrap items-center justify-between gap-2">
        <span className="flex items-center gap-2 font-mono text-small">
          <MethodChip method="GET" />
          /v1/reports/42
        </span>
        <OutcomeChip outcome="rate_limited" />
      </figcaption>
      <GateLine label="An example decision" gates={EXAMPLE_GATES} />
    </figure>
  );
}
