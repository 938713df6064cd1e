import 'server-only';
import { usageStepFor } from '@ceiba/domain';
import {
  type AuditRow,
  type Database,
  type DenialGroup,
  getApiKeyRow,
  groupDenials,
  listAudit,
  type Project,
  readRetention,
  readUsageSeries,
  type UsageSeries,
} from '@ceiba/schema';
import type { UsageQuery } from '#components/usage/usage-query.ts';

const DAY_MS = 86_400_000;
const DENIALS_SHOWN = 5;
const CHANGES_SHOWN = 10;

export type KeyPageFacts = NonNullable<Awaited<ReturnType<typeof readKeyPage>>>;

/** What is recorded of a key's denials. */
export interface RecordedDenials {
  groups: DenialGroup[];
  /** Days for which requests are recorded. */
  days: number;
}

/** What the page of a key shows; null if the project has no such key. */
export async function readKeyPage(
  db: Database,
  { projectId }: Project,
  apiKeyId: string,
  usage: UsageQuery,
) {
  const apiKey = await getApiKeyRow(db, { projectId, apiKeyId });
  if (apiKey === null) return null;
  const { from, to } = usage;
  const [series, denials, changes]: [UsageSeries, RecordedDenials, AuditRow[]] = await Promise.all([
    readUsageSeries(db, {
      projectId,
      apiKeyId,
      by: 'outcome',
      step: usageStepFor('outcome', usage),
      from,
      to,
    }),
    readDenials(db, projectId, apiKeyId),
    listAudit(db, { ownerId: null, projectId, targetId: apiKeyId, limit: CHANGES_SHOWN }).then(
      ({ items }) => items,
    ),
  ]);
  return { apiKey, series, denials, changes };
}

async function readDenials(
  db: Database,
  projectId: string,
  apiKeyId: string,
): Promise<RecordedDenials> {
  const { decisionDays: days } = await readRetention(db);
  const to = new Date(Date.now() + DAY_MS);
  const from = new Date(Date.now() - days * DAY_MS);
  const limit = DENIALS_SHOWN;
  return { groups: await groupDenials(db, { projectId, apiKeyId, from, to, limit }), days };
}
