import { setTimeout as pause } from 'node:timers/promises';
import type { PeriodTotalItem, UsageBatch, UsageComparison } from '@ceiba/schema';
import { UnavailableError } from '../../../../apps/runtime/src/unavailable.ts';

/** Replaces Postgres for the limiter: numbers that only grow. */
export interface MemoryStore {
  recordUsage(batch: UsageBatch): Promise<{ knownProjectIds: Set<string> }>;
  compareUsage(batch: Pick<UsageBatch, 'hours' | 'months' | 'days'>): Promise<UsageComparison>;
  readPeriodTotals(items: readonly PeriodTotalItem[]): Promise<number[]>;
  /** How many counts each write and each comparison had. */
  writes: number[];
  comparisons: number[];
  /** How many reads of month totals were made. */
  reads: number;
  /** How long a read of month totals takes. */
  readTakesMs: number;
  isDown: boolean;
  /** Batches that a rule of the database would refuse. */
  refuses: ((batch: UsageBatch) => boolean) | null;
  /** Holds reads of month totals until released; `onRead` is called as each arrives. */
  holdReads(onRead: () => void): () => void;
  /** Null means that every project exists. */
  projectIds: Set<string> | null;
  deletedProjectIds: Set<string>;
  /** Decisions of a project that came to an outcome, over all hours, keys and incarnations. */
  decisions(projectId: string, outcome: string): number;
  admissions(projectId: string, scope: string): number;
  totalsByMonth(projectId: string, scope: string): number[];
  lastUseOf(apiKeyId: string): Date | undefined;
  readonly rowCount: number;
}

export function createMemoryStore(): MemoryStore {
  const hours = new Map<string, number>();
  const months = new Map<string, number>();
  const days = new Map<string, number>();
  const lastUses = new Map<string, Date>();
  const raise = (table: Map<string, number>, key: string, count: number) =>
    table.set(key, Math.max(table.get(key) ?? 0, count));
  const sum = (table: Map<string, number>, matches: (parts: string[]) => boolean) =>
    [...table].reduce((total, [key, count]) => total + (matches(key.split('|')) ? count : 0), 0);

  const knownIn = (batch: Pick<UsageBatch, 'hours' | 'months' | 'days'>) =>
    new Set(
      [...batch.hours, ...batch.months, ...batch.days]
        .map((row) => row.projectId)
        .filter((id) => store.projectIds?.has(id) ?? true),
    );

  let hold: { onRead: () => void; released: Promise<void> } | null = null;

  const store: MemoryStore = {
    holdReads(onRead) {
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      hold = { onRead, released };
      return () => {
        hold = null;
        release();
      };
    },
    reads: 0,
    readTakesMs: 0,
    isDown: false,
    refuses: null,
    projectIds: null,
    deletedProjectIds: new Set(),
    writes: [],
    comparisons: [],
    get rowCount() {
      return hours.size + months.size + days.size;
    },
    async recordUsage(batch) {
      if (store.isDown) throw new UnavailableError('database', 'down');
      if (store.refuses?.(batch)) throw new Error('refused');
      store.writes.push(batch.hours.length + batch.months.length + batch.days.length);
      const known = knownIn(batch);
      const written = new Set<string>();
      for (const row of batch.hours) {
        const { projectId, count } = row;
        const key = keyOfHour(row);
        refuseTwice(written, key);
        if (known.has(projectId)) raise(hours, key, count);
      }
      for (const row of batch.months) {
        const { projectId, count } = row;
        const key = keyOfMonth(row);
        refuseTwice(written, key);
        if (known.has(projectId)) raise(months, key, count);
      }
      for (const row of batch.days) {
        const { projectId, count } = row;
        const key = keyOfDay(row);
        refuseTwice(written, key);
        if (known.has(projectId)) raise(days, key, count);
      }
      for (const { apiKeyId, at } of batch.lastUsed) {
        const known = lastUses.get(apiKeyId);
        if (!known || known < at) lastUses.set(apiKeyId, at);
      }
      return { knownProjectIds: known };
    },
    async compareUsage({ hours: ofHours, months: ofMonths, days: ofDays }) {
      if (store.isDown) throw new UnavailableError('database', 'down');
      store.comparisons.push(ofHours.length + ofMonths.length + ofDays.length);
      const lacks = (held: number | undefined, count: number) => held === undefined || held < count;
      const known = knownIn({ hours: ofHours, months: ofMonths, days: ofDays });
      return {
        missing: {
          hours: [...ofHours.keys()].filter((at) =>
            lacks(hours.get(keyOfHour(ofHours[at]!)), ofHours[at]!.count),
          ),
          months: [...ofMonths.keys()].filter((at) =>
            lacks(months.get(keyOfMonth(ofMonths[at]!)), ofMonths[at]!.count),
          ),
          days: [...ofDays.keys()].filter((at) =>
            lacks(days.get(keyOfDay(ofDays[at]!)), ofDays[at]!.count),
          ),
        },
        knownProjectIds: known,
        deletedProjectIds: new Set(
          [...store.deletedProjectIds].filter(
            (id) =>
              !known.has(id) &&
              [...ofHours, ...ofMonths, ...ofDays].some((row) => row.projectId === id),
          ),
        ),
      };
    },
    async readPeriodTotals(items) {
      store.reads += 1;
      const held = hold;
      held?.onRead();
      await held?.released;
      if (store.readTakesMs > 0) await pause(store.readTakesMs);
      if (store.isDown) throw new UnavailableError('database', 'down');
      return items.map((item) =>
        sum(
          item.scope.endsWith('@0') ? days : months,
          ([projectId, number, scope]) =>
            projectId === item.projectId && number === String(item.number) && scope === item.scope,
        ),
      );
    },
    decisions: (projectId, outcome) =>
      sum(hours, (parts) => parts[0] === projectId && parts[4] === outcome),
    admissions: (projectId, scope) =>
      sum(months, (parts) => parts[0] === projectId && parts[2] === scope),
    totalsByMonth(projectId, scope) {
      const totals = new Map<string, number>();
      for (const [key, count] of months) {
        const [ofProject, month = '', ofScope] = key.split('|');
        if (ofProject !== projectId || ofScope !== scope) continue;
        totals.set(month, (totals.get(month) ?? 0) + count);
      }
      return [...totals.values()];
    },
    lastUseOf: (apiKeyId) => lastUses.get(apiKeyId),
  };
  return store;
}

const keyOfHour = (row: UsageBatch['hours'][number]) =>
  [row.projectId, row.hour, row.apiKeyId, row.policyId, row.outcome, row.incarnation].join('|');
const keyOfDay = (row: UsageBatch['days'][number]) =>
  [row.projectId, row.day, row.scope, row.incarnation].join('|');
const keyOfMonth = (row: UsageBatch['months'][number]) =>
  [row.projectId, row.month, row.scope, row.incarnation].join('|');

/** As Postgres does: one upsert may not touch a row twice. */
function refuseTwice(written: Set<string>, key: string): void {
  if (written.has(key)) throw new Error('a batch names the same row twice');
  written.add(key);
}
