import 'server-only';
import { MS_PER_DAY } from '@ceiba/domain';
import {
  type ApiKeyRow,
  type AuditRow,
  type Cause,
  causesOf,
  type Database,
  type FirstDenial,
  type FirstUse,
  listAudit,
  type Retention,
  readFirstDenials,
  readFirstUse,
} from '@ceiba/schema';
import type { KeptRequests } from '#components/usage/range-links.ts';

const CHANGES_SHOWN = 10;
/** The days before are not searched for the first use of a key. */
const FIRST_USE_DAYS_MAX = 400;

/** What happened, and the denial that it led to first. */
export interface TimelineEntry {
  id: string;
  at: Date;
  what:
    | { kind: 'change'; row: AuditRow }
    | { kind: 'first_use'; use: FirstUse }
    | { kind: 'last_use' | 'expiry' };
  /** Null where the entry denies no calls, or the log may lack the first. */
  denial: FirstDenial | 'none' | null;
}

export interface Timeline {
  /** The newest first. */
  entries: TimelineEntry[];
  /** From when requests are kept. */
  requestsSince: Date;
}

interface Scope {
  projectId: string;
  kept: KeptRequests;
}

/** The history of a key: its changes, its uses and what each change denied first. */
export async function readKeyTimeline(
  db: Database,
  { projectId, kept, usageDays }: Scope & Pick<Retention, 'usageDays'>,
  apiKey: ApiKeyRow,
): Promise<Timeline> {
  const { apiKeyId } = apiKey;
  const [use, changes] = await Promise.all([
    firstUseOf(db, { projectId, usageDays }, apiKey),
    readChanges(db, { projectId, targetIds: [apiKeyId] }),
  ]);
  const expiry = expiryOf(apiKey);
  const causes = [...causesOf(changes), ...expiry];
  const denials = await readFirstDenials(db, { projectId, causes, since: kept.since });
  const denialOf = denialsOf(causes, denials);
  // The newest first where the times are equal: a key may be used in the moment of its creation.
  const all = [
    ...usesOf(apiKey, use),
    ...expiry.map(({ id, at }) => entry('expiry', at, { kind: 'expiry' }, denialOf(id))),
    ...changes.map((row) => changeEntry(row, denialOf)),
  ];
  return timelineOf(changes, all, kept);
}

/** The history of a customer and of some of its keys. */
export async function readCustomerTimeline(
  db: Database,
  { projectId, kept }: Scope,
  { customerId, apiKeyIds }: { customerId: string; apiKeyIds: readonly string[] },
): Promise<Timeline> {
  const changes = await readChanges(db, { projectId, targetIds: [customerId, ...apiKeyIds] });
  const causes = causesOf(changes);
  const denials = await readFirstDenials(db, { projectId, causes, since: kept.since });
  const denialOf = denialsOf(causes, denials);
  return timelineOf(
    changes,
    changes.map((row) => changeEntry(row, denialOf)),
    kept,
  );
}

async function readChanges(db: Database, of: { projectId: string; targetIds: readonly string[] }) {
  const { items } = await listAudit(db, { ownerId: null, ...of, limit: CHANGES_SHOWN });
  return items;
}

async function firstUseOf(
  db: Database,
  { projectId, usageDays }: { projectId: string } & Pick<Retention, 'usageDays'>,
  { apiKeyId, createdAt, lastUsedAt }: ApiKeyRow,
): Promise<FirstUse | null> {
  const created = new Date(createdAt);
  const days = Math.min(usageDays ?? FIRST_USE_DAYS_MAX, FIRST_USE_DAYS_MAX);
  if (lastUsedAt === null || created.getTime() < Date.now() - days * MS_PER_DAY) return null;
  return readFirstUse(db, {
    projectId,
    apiKeyId,
    createdAt: created,
    lastUsedAt: new Date(lastUsedAt),
  });
}

const EXPIRY = 0;

/** The expiry of a key that ended it, as a cause; no audited change. */
function expiryOf({ apiKeyId, expiresAt, isExpired, revokedAt, archivedAt }: ApiKeyRow): Cause[] {
  if (expiresAt === null || !isExpired) return [];
  const at = new Date(expiresAt);
  const ended = [revokedAt, archivedAt].flatMap((time) => (time === null ? [] : [new Date(time)]));
  if (ended.some((time) => time <= at)) return [];
  const target = { kind: 'api_key', id: apiKeyId };
  return [{ id: EXPIRY, effect: 'expired', target, at, until: ended[0] ?? null }];
}

const MINUTE_MS = 60_000;

/** The first use and, where it is another, the last. */
function usesOf({ createdAt, lastUsedAt }: ApiKeyRow, use: FirstUse | null): TimelineEntry[] {
  const last = lastUsedAt === null ? null : new Date(lastUsedAt);
  const first = use && (use.recorded?.at ?? laterOf(use.hour, new Date(createdAt)));
  return [
    ...(use && first ? [entry('first_use', first, { kind: 'first_use', use })] : []),
    ...(last && (first === null || last.getTime() - first.getTime() > MINUTE_MS)
      ? [entry('last_use', last, { kind: 'last_use' })]
      : []),
  ];
}

const laterOf = (one: Date, other: Date) => (one > other ? one : other);

type DenialOf = (id: number) => TimelineEntry['denial'];

/** A lasting end that denied no call ended what was no longer used. */
const denialsOf =
  (causes: readonly Cause[], found: ReadonlyMap<number, FirstDenial | null>): DenialOf =>
  (id) => {
    const denial = found.get(id);
    if (denial !== null) return denial ?? null;
    const cause = causes.find((one) => one.id === id);
    return cause !== undefined && cause.until === null && ENDS.has(cause.effect) ? 'none' : null;
  };

const ENDS: ReadonlySet<Cause['effect']> = new Set([
  'revoked',
  'archived',
  'disabled',
  'expired',
  'suspended',
]);

const changeEntry = (row: AuditRow, denialOf: DenialOf): TimelineEntry =>
  entry(`change-${row.auditId}`, row.at, { kind: 'change', row }, denialOf(row.auditId));

const entry = (
  id: string,
  at: Date,
  what: TimelineEntry['what'],
  denial: TimelineEntry['denial'] = null,
): TimelineEntry => ({ id, at, what, denial });

/** Where earlier changes are left out, so is what happened among them. */
function timelineOf(
  changes: readonly AuditRow[],
  all: readonly TimelineEntry[],
  kept: KeptRequests,
): Timeline {
  const isCut = changes.length === CHANGES_SHOWN;
  const oldest = isCut ? changes.at(-1)?.at : undefined;
  const entries = all
    .filter(({ at }) => oldest === undefined || at >= oldest)
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  return { entries, requestsSince: kept.since };
}
