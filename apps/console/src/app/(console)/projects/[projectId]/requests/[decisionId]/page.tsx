import { UUID } from '@ceiba/contract/sets';
import {
  type CustomerName,
  type Database,
  type DecisionRecord,
  findDecision,
  listPolicies,
  readCustomerNames,
  readKeyNames,
} from '@ceiba/schema';
import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { type ReactNode, Suspense } from 'react';
import {
  type ExplainedDecision,
  isSameVerdict,
  joined,
} from '#components/simulation/simulation.ts';
import { DecisionCard, SimulationView } from '#components/simulation/simulation-view.tsx';
import { ButtonLink, buttonLooks } from '#components/ui/button.tsx';
import { IdChip } from '#components/ui/id-chip.tsx';
import { Name } from '#components/ui/name.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { ExactTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { type PageProps, withQuery } from '#lib/list-query.ts';
import { requestsHref } from '#lib/requests-href.ts';
import { withDatabase } from '#server/database.ts';
import { requireProject } from '#server/project.ts';
import type { SimulatedProject } from '#server/simulate.ts';
import { env } from '../../../../../../env.ts';
import { calledOf } from '../../customers/customer-state.ts';
import { Cause } from './cause.tsx';
import { decideNow, type NotRepeatable } from './decide-now.ts';
import { logHref } from './log-href.ts';
import { Neighbours } from './neighbours.tsx';
import { readCause } from './read-cause.ts';
import { explainRecord } from './recorded-gates.ts';

export const metadata: Metadata = { title: 'Request' };

/** One recorded decision: its gates as they were, and as they would be now. */
export default async function RequestPage({
  params,
  searchParams,
}: PageProps<'projectId' | 'decisionId'>) {
  const { projectId, ...of } = await params;
  const decisionId = of.decisionId.toLowerCase();
  const query = await searchParams;
  const { project, may, user } = await requireProject(projectId);
  const found = UUID.test(decisionId)
    ? await withDatabase((db) => readRequest(db, { project, may }, decisionId))
    : null;
  if (found === null) notFound();
  const { decision, customer, recorded, now, cause } = found;
  const elsewhere = logHref(env().decisionLogUrlTemplate, { projectId, decisionId });
  return (
    <Column>
      <PageHeader
        title="Request"
        list={{
          href: withQuery(`/projects/${projectId}/requests`, query, {}),
          label: 'All requests',
        }}
        description={
          <Facts
            projectId={projectId}
            decision={decision}
            customer={customer}
            mayChangeKeys={may('change_keys')}
          />
        }
        actions={
          <>
            <Suspense>
              <Neighbours project={project} decisionId={decisionId} query={query} />
            </Suspense>
            {elsewhere !== undefined && (
              <a className={buttonLooks()} href={elsewhere} rel="noreferrer">
                Open in your logs
              </a>
            )}
            <ButtonLink href={requestsHref(project.projectId, likeThis(decision))}>
              Requests like this
            </ButtonLink>
          </>
        }
      />
      {cause && (
        <Cause projectId={projectId} decision={decision} cause={cause} viewer={{ ...user, may }} />
      )}
      {typeof now !== 'string' && isSameVerdict(recorded, now) ? (
        <Half title="As it was decided, and as it would be decided now">
          <DecisionCard
            decision={joined(recorded, now)}
            allowed="Every gate passed."
            footer={`${chargeOf(recorded)} The same call would be decided the same way now.`}
          />
        </Half>
      ) : (
        <div className="grid items-start gap-8 lg:grid-cols-2">
          <Half title="As it was decided">
            <DecisionCard
              decision={recorded}
              allowed="Every gate passed."
              footer={chargeOf(recorded)}
            />
          </Half>
          <Half title="As it would be decided now">
            {typeof now === 'string' ? (
              <p className="rounded border border-dashed border-line-strong/60 p-4 text-muted sm:p-6">
                <NotRepeated projectId={project.projectId} decision={decision} reason={now} />
              </p>
            ) : (
              <SimulationView simulation={now} />
            )}
          </Half>
        </div>
      )}
    </Column>
  );
}

const chargeOf = ({ denialReason }: ExplainedDecision) =>
  denialReason === null ? 'This request was charged.' : 'Denied requests use no quota.';

async function readRequest(db: Database, of: SimulatedProject, decisionId: string) {
  const { projectId } = of.project;
  const decision = await findDecision(db, { projectId, decisionId });
  if (decision === null) return null;
  const { apiKeyId, customerId, policyId } = decision;
  const [names, customers, policies, now, cause] = await Promise.all([
    readKeyNames(db, { projectId, apiKeyIds: apiKeyId === null ? [] : [apiKeyId] }),
    readCustomerNames(db, { projectId, customerIds: customerId === null ? [] : [customerId] }),
    policyId === null ? [] : listPolicies(db, projectId),
    decideNow(db, of, decision),
    readCause(db, projectId, decision),
  ]);
  const customer = customerId === null ? undefined : customers.get(customerId);
  const recorded = explainRecord({
    projectId,
    decision,
    apiKey: apiKeyId === null ? undefined : names.get(apiKeyId),
    customer,
    policy: policies.find((policy) => policy.policyId === policyId),
  });
  return { decision, customer, recorded, now, cause };
}

/** A filter for the same outcome with the same key; an unknown key has a prefix alone. */
const likeThis = ({ outcome, apiKeyId, keyPrefix }: DecisionRecord) => ({
  ...(outcome === 'allowed' ? { outcome } : { reason: outcome }),
  key: apiKeyId ?? keyPrefix,
});

interface FactsProps {
  projectId: string;
  decision: DecisionRecord;
  customer: CustomerName | undefined;
  mayChangeKeys: boolean;
}

function Facts({ projectId, decision, customer, mayChangeKeys }: FactsProps) {
  const { at, decisionId, apiKeyId, byPreviousSecret, customerId, requestId, latencyMs } = decision;
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <ExactTime at={at} />
      <span className="numbers">decided in {formatCount(latencyMs)} ms</span>
      <IdChip id={decisionId} label="decision ID" />
      {byPreviousSecret && (
        <span>
          By the old secret of its key.{' '}
          <TextLink href={`/projects/${projectId}/keys/${apiKeyId}`} look="step">
            {mayChangeKeys ? 'End it on the key’s page' : 'Go to the key'}
          </TextLink>
        </span>
      )}
      {customer && (
        <span className="min-w-0 wrap-anywhere">
          Customer{' '}
          <TextLink href={`/projects/${projectId}/customers/${customerId}`} className="text-ink">
            <Name>{calledOf(customer)}</Name>
          </TextLink>
        </span>
      )}
      {requestId !== null && (
        <span className="min-w-0 wrap-anywhere">
          Request ID <code className="text-small">{requestId}</code>
        </span>
      )}
    </span>
  );
}

function Half({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h2 className="mb-3 font-semibold">{title}</h2>
      {children}
    </section>
  );
}

interface NotRepeatedProps {
  projectId: string;
  decision: DecisionRecord;
  reason: NotRepeatable;
}

/** Why there is nothing to compare with, and the next step. */
function NotRepeated({ projectId, decision: { keyPrefix }, reason }: NotRepeatedProps) {
  switch (reason) {
    case 'no_path':
      return 'The path was not recorded, so the call cannot be decided again.';
    case 'deleted':
      return 'The key was deleted, so the call cannot be decided again.';
    case 'unknown_key':
      return (
        <>
          An unknown key is recorded by its prefix only, so the call cannot be decided again. Ask
          the caller to copy the complete key again; a key of another project is not valid here.{' '}
          {keyPrefix !== null && (
            <TextLink href={`/projects/${projectId}/keys?status=all&q=${keyPrefix}`} look="step">
              Look for {keyPrefix}… in the keys of this project
            </TextLink>
          )}
        </>
      );
  }
}
