import type { DecisionRecord } from '@ceiba/schema';
import { AuditEntry } from '#components/audit/audit-entry.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { auditHref } from '#lib/audit-href.ts';
import type { Viewer } from '#lib/entity.ts';
import { timeBetween } from '#lib/time.ts';
import { viewerZone } from '#server/time-zone.ts';
import { mayReplace, targetOf } from '../../keys/key-state.ts';
import type { CauseOfDenial } from './read-cause.ts';

export interface CauseProps {
  projectId: string;
  decision: DecisionRecord;
  cause: CauseOfDenial;
  viewer: Viewer;
}

/** The change that denied the call, and where to go on. */
export async function Cause({
  projectId,
  decision,
  cause: { change, apiKey, isOfKey },
  viewer,
}: CauseProps) {
  if (change === null && apiKey === null) return null;
  const log = change && auditHref(projectId, change, await viewerZone());
  return (
    <section aria-label="What changed before" className="mb-8">
      <h2 className="mb-3 font-semibold">What changed before</h2>
      {change && log && (
        <div className="panel">
          <AuditEntry row={change} viewer={viewer} log={log} />
        </div>
      )}
      <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-small">
        {change && (
          <span className="text-muted">
            {timeBetween(change.at, decision.at)} before this request.
          </span>
        )}
        {apiKey && (
          <TextLink href={`/projects/${projectId}/keys/${apiKey.apiKeyId}`}>Go to the key</TextLink>
        )}
        {log && <TextLink href={log}>Open in the audit log</TextLink>}
        {apiKey && isOfKey && viewer.may('change_keys') && (
          <NextKey projectId={projectId} apiKey={apiKey} />
        )}
      </p>
    </section>
  );
}

type NextKeyProps = { projectId: string; apiKey: NonNullable<CauseOfDenial['apiKey']> };

/** A key that has ended has no new secret: its caller needs another key. */
function NextKey({ projectId, apiKey }: NextKeyProps) {
  if (mayReplace(targetOf(apiKey))) {
    return (
      <TextLink look="step" href={`/projects/${projectId}/keys/${apiKey.apiKeyId}`}>
        Replace key on its page
      </TextLink>
    );
  }
  if (apiKey.status === 'active') return null;
  const { customer } = apiKey;
  return (
    <TextLink
      look="step"
      href={`/projects/${projectId}/keys/new${customer ? `?customer=${customer.customerId}` : ''}`}
    >
      Create a key in its place
    </TextLink>
  );
}
