import type { DenialDetail, DenialReason, LimitOwner } from '@ceiba/contract/sets';
import { type SQL, sql } from 'drizzle-orm';
import type { DecisionRecord } from '../decision-log/list.ts';
import type { AuditAction } from './actions.ts';

/** Which denials a change of a key or of a customer explains: those with one of its values. */
interface Explains {
  change: AuditAction;
  of: 'apiKeyId' | 'customerId';
  outcome?: readonly DenialReason[];
  denialDetail?: readonly DenialDetail[];
  limitOwner?: readonly LimitOwner[];
  /** The changes that end it, itself among them; none where the change denies nothing until later. */
  until: readonly string[];
}

const STATUS = [
  'api_key.revoke',
  'api_key.archive',
  'api_key.disable',
  'api_key.enable',
] satisfies AuditAction[];

const EFFECTS = {
  revoked: {
    change: 'api_key.revoke',
    of: 'apiKeyId',
    outcome: ['revoked_api_key'],
    until: STATUS,
  },
  archived: {
    change: 'api_key.archive',
    of: 'apiKeyId',
    outcome: ['archived_api_key'],
    until: STATUS,
  },
  disabled: {
    change: 'api_key.disable',
    of: 'apiKeyId',
    denialDetail: ['disabled'],
    until: STATUS,
  },
  expired: { change: 'api_key.set_expiry', of: 'apiKeyId', denialDetail: ['expired'], until: [] },
  limited: {
    change: 'api_key.set_limits',
    of: 'apiKeyId',
    limitOwner: ['api_key'],
    until: ['api_key.set_limits'],
  },
  restricted: {
    change: 'api_key.set_scopes',
    of: 'apiKeyId',
    denialDetail: ['scope'],
    until: ['api_key.set_scopes'],
  },
  suspended: {
    change: 'customer.suspend',
    of: 'customerId',
    denialDetail: ['customer_suspended'],
    until: ['customer.suspend', 'customer.resume'],
  },
  customer_changed: {
    change: 'customer.update',
    of: 'customerId',
    denialDetail: ['plan_scope', 'customer_past_due', 'customer_canceled', 'customer_period_ended'],
    limitOwner: ['customer', 'customer_plan'],
    until: ['customer.update'],
  },
} as const satisfies Record<string, Explains>;

export type Effect = keyof typeof EFFECTS;

const ALL: readonly (Explains & { effect: Effect })[] = Object.entries(EFFECTS).map(
  ([effect, explains]) => ({ effect: effect as Effect, ...explains }),
);

/** What denials can follow from the moment of the change, and the changes that end it. */
export const effectOf = (action: string) =>
  ALL.find(({ change, until }) => change === action && until.length > 0);

const VALUES = ['outcome', 'denialDetail', 'limitOwner'] as const;

type Denied = Pick<DecisionRecord, (typeof VALUES)[number] | 'apiKeyId' | 'customerId'>;

/** The change that can have denied a recorded call, and the ID of its key or customer; null where none can. */
export function changeThatDenied(denied: Denied): { action: AuditAction; targetId: string } | null {
  const explains = ALL.find((one) =>
    VALUES.some((value) => one[value]?.some((text) => text === denied[value])),
  );
  if (explains === undefined) return null;
  const targetId = denied[explains.of];
  return targetId === null ? null : { action: explains.change, targetId };
}

const COLUMNS = {
  outcome: sql`d.outcome`,
  denialDetail: sql`d.denial_detail`,
  limitOwner: sql`d.limit_owner`,
};

/** Whether the decision `d` is one that an effect explains. */
export function isExplainedBy(effect: SQL): SQL {
  const cases = ALL.map((one) => {
    const values = VALUES.flatMap((value) =>
      (one[value] ?? []).map((text) => sql`${COLUMNS[value]} = ${text}`),
    );
    return sql`when ${one.effect} then (${sql.join(values, sql` or `)})`;
  });
  return sql`case ${effect} ${sql.join(cases, sql` `)} end`;
}
