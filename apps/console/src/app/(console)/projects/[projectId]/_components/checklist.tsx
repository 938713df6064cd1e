import type { Policy } from '@ceiba/domain';
import type { DecisionRecord } from '@ceiba/schema';
import { ArrowRight, Circle, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { HostSnippets } from '#components/host-snippets.tsx';
import { ButtonLink } from '#components/ui/button.tsx';
import { CodeBlock } from '#components/ui/code-block.tsx';
import { RecordedPath } from '#components/ui/path-text.tsx';
import { MethodChip, OutcomeChip } from '#components/ui/state-chips.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { RelativeTime } from '#components/ui/time.tsx';
import { curlExample } from '#lib/curl-example.ts';
import { hostCall } from '#lib/example-call.ts';
import type { Framework, HostSnippetOptions } from '#lib/host-snippets.ts';
import { CLOSED_CHECKLISTS_COOKIE, STORED_SECRETS_COOKIE } from '#lib/remembered-projects.ts';
import { RoutesForm } from '../policies/_components/routes-form.tsx';
import { FIRST_PATH, type FirstPath, PATH_STEPS, type PathStep } from './first-path.ts';
import { RememberProject } from './remember-project.tsx';

export interface ChecklistProps {
  host: HostSnippetOptions;
  path: FirstPath;
  /** Whether the user may rotate the project's secret. */
  mayRotate: boolean;
  /** The routes that the form of policies offers, one a line. */
  routes: string;
  policies: readonly Policy[];
  frameworks: readonly Framework[];
  framework: Framework;
  /** Why every call would be denied; null if one may be allowed. */
  denied: string | null;
  /** The newest recorded call that was denied. */
  lastDenied: DecisionRecord | undefined;
}

/** The path to the first allowed call. Its first open step is explained, and taken here. */
export function Checklist({ path, ...props }: ChecklistProps) {
  const { projectId } = props.host;
  const done = PATH_STEPS.filter((step) => path.done[step]).length;
  return (
    <section aria-labelledby="first-call" className="card mb-4">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <h2 id="first-call" className="text-title">
            Your first allowed call
          </h2>
          <p className="numbers mt-1 text-muted">
            {done} of {PATH_STEPS.length} steps are done.
          </p>
        </div>
        <RememberProject
          cookie={CLOSED_CHECKLISTS_COOKIE}
          projectId={projectId}
          variant="quiet"
          className="-mr-3"
        >
          Hide
        </RememberProject>
      </div>
      <ol className="mt-6 grid gap-4">
        {PATH_STEPS.map((step) => (
          <Step
            key={step}
            name={FIRST_PATH[step]}
            done={path.done[step]}
            isOpen={path.open === step}
          >
            {HOW[step](props)}
          </Step>
        ))}
      </ol>
    </section>
  );
}

type HowProps = Omit<ChecklistProps, 'path'>;

const HOW: Record<PathStep, (props: HowProps) => ReactNode> = {
  account: () => null,
  project: ({ host: { projectId } }) => (
    <>
      <p>
        The secret was shown when you created the project. If you did not keep it, rotate it to get
        a new one. This step is also done once your API uses the secret.
      </p>
      <div className="mt-3 flex flex-wrap gap-2">
        <RememberProject cookie={STORED_SECRETS_COOKIE} projectId={projectId} variant="primary">
          I have it
        </RememberProject>
        <ButtonLink size="sm" href={`/projects/${projectId}/settings#project-secret`}>
          Rotate the secret
        </ButtonLink>
      </div>
    </>
  ),
  policy: ({ routes }) => (
    <>
      <p className="mb-4">
        A call that no policy matches is denied. Name the routes that callers with a key may use.
      </p>
      <RoutesForm suggested={routes} />
    </>
  ),
  key: ({ host: { projectId } }) => (
    <>
      <p>Each caller of your API sends its own key. It is shown once.</p>
      <Next href={`/projects/${projectId}/keys/new`}>Create a key</Next>
    </>
  ),
  call: (props) =>
    props.denied === null ? (
      <FirstCallStep {...props} />
    ) : (
      <>
        <p>Every call would be denied, because {props.denied}. Change that before you call.</p>
        <Next href={`/projects/${props.host.projectId}/subscription`}>Go to the subscription</Next>
      </>
    ),
};

const KEY_PLACE = '<the key>';

/** A host for the framework that is chosen, the call to it, and what came of the last one. */
function FirstCallStep({ host, mayRotate, policies, frameworks, framework, lastDenied }: HowProps) {
  const here = `/projects/${host.projectId}`;
  const call = hostCall(framework, policies);
  return (
    <>
      <p className="mb-4">
        Your API asks the Runtime about each call. This is a whole one to start with; put{' '}
        <code>ceiba.env</code>, which has the secret, beside its files.
        {!mayRotate && ' The owner of the project has the secret.'}
      </p>
      <HostSnippets
        here={here}
        host={host}
        frameworks={frameworks}
        chosen={framework}
        {...(call && { path: call.path })}
      />
      {call === null ? (
        <>
          <p className="mt-6">
            No policy allows a call to it yet: it serves <code>GET {framework.path}</code>.
          </p>
          <Next
            href={`${here}/policies/new?${new URLSearchParams({ method: 'GET', pathPattern: framework.path })}`}
          >
            Add a policy for it
          </Next>
        </>
      ) : (
        <>
          <p className="mt-6 mb-4">
            Then call it, with the key in the place of <code>{KEY_PLACE}</code>.
          </p>
          <CodeBlock tabs={[{ name: 'curl', code: curlExample(KEY_PLACE, call) }]} />
        </>
      )}
      <div aria-live="polite" className="mt-6 rounded border bg-sunken p-4">
        {lastDenied === undefined ? (
          <p>Waiting for the first call. It appears here within seconds.</p>
        ) : (
          <LastDenied here={here} decision={lastDenied} />
        )}
      </div>
    </>
  );
}

/** The call arrived, and was denied. */
const LastDenied = ({ here, decision }: { here: string; decision: DecisionRecord }) => (
  <>
    <p className="flex min-w-0 flex-wrap items-center gap-2">
      <OutcomeChip outcome={decision.outcome} />
      <MethodChip method={decision.method} />
      <RecordedPath path={decision.path} />
      <RelativeTime at={decision.at} />
    </p>
    <p className="mt-2">
      Your API is connected: its call arrived, and was denied.{' '}
      <TextLink href={`${here}/requests/${decision.decisionId}`} look="step">
        Why, and how to fix it
      </TextLink>
    </p>
  </>
);

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

function Next({ href, children }: { href: string; children: string }) {
  return (
    <ButtonLink variant="primary" size="sm" className="mt-3" href={href}>
      {children}
      <ArrowRight aria-hidden="true" />
    </ButtonLink>
  );
}
