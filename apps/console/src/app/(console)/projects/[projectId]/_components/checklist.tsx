import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { ButtonLink } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { curlExample, type ExampleCall } from '#lib/curl-example.ts';
import { type HostSnippetOptions, hostSnippets } from '#lib/host-snippets.ts';
import { CLOSED_CHECKLISTS_COOKIE, STORED_SECRETS_COOKIE } from '#lib/remembered-projects.ts';
import { requestsHref } from '#lib/requests-href.ts';
import { RememberProject } from './remember-project.tsx';

/** The steps to the first allowed call, in their order, and whether each is done. */
export interface ChecklistSteps {
  /** Absent for a role that cannot rotate the secret. */
  secret?: boolean;
  policy: boolean;
  key: boolean;
  called: boolean;
}

export interface ChecklistProps {
  host: HostSnippetOptions;
  steps: ChecklistSteps;
  /** The call to try; one that a policy allows, if there is a policy. */
  example: ExampleCall;
  /** Why every call would be denied; null if one may be allowed. */
  denied: string | null;
}

/** What is left to do before the first allowed call. The first open step is explained. */
export function Checklist({ host, steps, example, denied }: ChecklistProps) {
  const here = `/projects/${host.projectId}`;
  const open = stepOf(steps);
  const known = Object.values(steps);
  const done = known.filter(Boolean).length;
  return (
    <section aria-labelledby="checklist" className="card mb-4">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <h2 id="checklist" className="text-title">
            Your first allowed call
          </h2>
          <p className="numbers mt-1 text-muted">
            {done} of {known.length + 1} steps are done.
          </p>
        </div>
        <RememberProject
          cookie={CLOSED_CHECKLISTS_COOKIE}
          projectId={host.projectId}
          variant="quiet"
          className="-mr-3"
        >
          Hide
        </RememberProject>
      </div>
      <ol className="mt-6 grid gap-4">
        {steps.secret !== undefined && (
          <Step name="Store the project secret" done={steps.secret} isOpen={open === 'secret'}>
            <p>
              It was shown when you created the project. If you did not keep it, rotate it to get a
              new one. This step is also done once your API uses the secret.
            </p>
            <div className="mt-3 flex flex-wrap gap-2">
              <RememberProject
                cookie={STORED_SECRETS_COOKIE}
                projectId={host.projectId}
                variant="primary"
              >
                I have it
              </RememberProject>
              <ButtonLink size="sm" href={`${here}/settings#project-secret`}>
                Rotate the secret
              </ButtonLink>
            </div>
          </Step>
        )}
        <Step name="Add a policy" done={steps.policy} isOpen={open === 'policy'}>
          <p>A call that no policy matches is denied.</p>
          <Next href={`${here}/policies/new?${REPORTS}`}>Add a policy</Next>
        </Step>
        <Step name="Create a key" done={steps.key} isOpen={open === 'key'}>
          <p>Each caller of your API sends its own key.</p>
          <Next href={`${here}/keys/new`}>Create a key</Next>
        </Step>
        <Step name="Connect your API" done={steps.called} isOpen={open === 'called'}>
          {denied === null ? (
            <>
              <p className="mb-4">
                Your API asks the Runtime about each call. This is a whole one to start with; its
                first request appears here within seconds.
                {steps.secret === undefined && ' The owner of the project has its secret.'}
              </p>
              <CodeBlock tabs={hostSnippets(host)} />
            </>
          ) : (
            <Denied here={here} why={denied} />
          )}
        </Step>
        <Step name="Get a call allowed" done={false} isOpen={open === 'allowed'}>
          {denied === null ? (
            <>
              <p className="mb-4">
                Put the key in the place of <code>{KEY_PLACE}</code>; it was shown when it was
                created. If the call is denied, the requests say why.
              </p>
              <CodeBlock tabs={[{ name: 'curl', code: curlExample(KEY_PLACE, example) }]} />
              <Next href={requestsHref(host.projectId, { outcome: 'denied' })}>
                Why was it denied?
              </Next>
            </>
          ) : (
            <Denied here={here} why={denied} />
          )}
        </Step>
      </ol>
    </section>
  );
}

const KEY_PLACE = '<the key>';

/** The policy of the host's route in the snippets. */
const REPORTS = new URLSearchParams({ method: 'GET', pathPattern: '/v1/reports*' });

/** The first step that is not done. */
function stepOf(steps: ChecklistSteps): keyof ChecklistSteps | 'allowed' {
  if (steps.secret === false) return 'secret';
  if (!steps.policy) return 'policy';
  if (!steps.key) return 'key';
  return steps.called ? 'allowed' : 'called';
}

interface StepProps {
  name: string;
  done: boolean;
  /** It is the next one, and shows how. */
  isOpen: boolean;
  children: ReactNode;
}

function Step({ name, done, isOpen, children }: StepProps) {
  const Icon = done ? CircleCheck : Circle;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3" aria-current={isOpen && 'step'}>
      <Icon aria-hidden="true" className={`mt-0.5 size-5 ${done ? 'text-ink' : 'text-muted'}`} />
      <div>
        <h3 className={done || !isOpen ? 'font-normal text-muted' : ''}>
          {name}
          {done && <span className="sr-only">, done</span>}
        </h3>
        {isOpen && <div className="mt-1 text-muted">{children}</div>}
      </div>
    </li>
  );
}

/** In place of a command that would fail. */
const Denied = ({ here, why }: { here: string; why: string }) => (
  <>
    <p>Every call would be denied, because {why}. Change that before you call.</p>
    <Next href={`${here}/subscription`}>Go to the subscription</Next>
  </>
);

function Next({ href, children }: { href: string; children: string }) {
  return (
    <ButtonLink variant="primary" size="sm" className="mt-3" href={href}>
      {children}
      <ArrowRight aria-hidden="true" />
    </ButtonLink>
  );
}
