import 'server-only';
import type { LimitOwner } from '@ceiba/contract/sets';
import {
  explainMatch,
  type Labels,
  type Limit,
  lookupDigestOf,
  opens,
  type Policy,
  type ProjectRight,
  parsePathPattern,
  windowOfPeriod,
} from '@ceiba/domain';
import {
  type Database,
  listPolicies,
  type Project,
  readSimulation,
  type Simulation as SimulationFacts,
  type SimulationInput,
} from '@ceiba/schema';
import {
  type GateId,
  type GateView,
  gatesUpTo,
  gateThatDenied,
  type Simulation,
} from '../components/simulation/simulation.ts';
import { formatCount, plural, policyText } from '../lib/format.ts';
import { isProbe } from '../lib/probe.ts';
import { BY_OLD_SECRET, legible } from '../lib/text.ts';
import { minuteTime } from '../lib/time.ts';

export type SimulatedCall = Omit<SimulationInput, 'projectId'>;

/**
 * Describes the decision on a call, gate by gate. It comes from `readSimulation`, which uses
 * the rules and the lookup of the Runtime; this adds the value that each gate checked and the fix.
 *
 * @param may the rights of the reader: a remedy has no link to a page that they may not open
 * @returns null if the project no longer exists
 */
export async function simulate(
  db: Database,
  { project, may }: SimulatedProject,
  call: SimulatedCall,
): Promise<Simulation | null> {
  const facts = await readSimulation(db, { projectId: project.projectId, ...call });
  if (facts === null) return null;
  const limits = facts.scopes.length === 0 ? null : judgeLimits(facts);
  // Only the Runtime knows the current rate, but a rate of 0 denies in any case.
  const denialReason = facts.denialReason ?? (limits?.rate === 0 ? 'rate_limited' : null);
  const denying = gateThatDenied({ ...facts, denialReason });
  const policies = denying === 'policy_no_match' ? await listPolicies(db, project.projectId) : [];
  const seen: Seen = { project, may, facts, call, limits, policies };
  return {
    denialReason,
    apiKey: facts.apiKey && {
      displayName: facts.apiKey.displayName,
      keyPrefix: facts.apiKey.keyPrefix,
    },
    method: call.method,
    path: call.path,
    gates: gatesUpTo(denying, (gate, stopped) => GATES[gate](seen, stopped)),
    usageAsOf: limits?.countedAt?.toISOString() ?? null,
  };
}

export interface SimulatedProject {
  project: Project;
  may: (right: ProjectRight) => boolean;
}

interface Seen extends SimulatedProject {
  facts: SimulationFacts;
  call: SimulatedCall;
  /** Null if a gate before the limits denies. */
  limits: JudgedLimits | null;
  /** All policies, if none matched. */
  policies: readonly Policy[];
}

/** The value that each gate checked and, if it denied the call, how to fix it. */
const GATES: Record<GateId, (seen: Seen, stopped: boolean) => GateView> = {
  missing_api_key: (seen, stopped) =>
    stopped
      ? {
          saw: 'none',
          remedy: {
            text: 'Send a key as “x-api-key: …” or as “Authorization: Bearer …”.',
            ...toNewKey(seen),
          },
        }
      : {},
  invalid_api_key: ({ project, facts, call: { credential } }, stopped) =>
    stopped
      ? {
          saw: 'presented' in credential ? unknownKey(credential.presented) : NO_KEY_HERE,
          remedy: {
            text: 'Copy the complete key again from where it was stored. Keys of other projects are not valid here.',
            href: hrefOf(project, 'keys'),
            label: 'See the keys of this project',
          },
        }
      : {
          saw: `${legible(facts.apiKey?.displayName ?? '')}${facts.byPreviousSecret ? BY_OLD_SECRET : ''}`,
        },
  revoked_api_key: (seen, stopped) =>
    stopped
      ? { saw: 'revoked', ...at(seen.facts.apiKey?.revokedAt), remedy: newKey(seen, 'revoked') }
      : { saw: 'created', ...at(seen.facts.apiKey?.createdAt) },
  archived_api_key: (seen, stopped) =>
    stopped
      ? { saw: 'archived', ...at(seen.facts.apiKey?.archivedAt), remedy: newKey(seen, 'archived') }
      : lastUse(seen.facts.apiKey?.lastUsedAt),
  expired_api_key: ({ project, facts: { apiKey } }, stopped) => {
    const remedy = (text: string) => ({
      remedy: { text, href: hrefOf(project, `keys/${apiKey?.apiKeyId}`), label: 'Go to the key' },
    });
    if (apiKey?.disabledAt) {
      return {
        saw: 'disabled',
        ...at(apiKey.disabledAt),
        ...remedy('Enable the key to allow its calls again.'),
      };
    }
    return {
      saw: stopped ? 'expired' : apiKey?.expiresAt ? 'expires' : 'never expires',
      ...at(apiKey?.expiresAt),
      ...(stopped && remedy('Set a later expiry, or none, to allow the key again.')),
    };
  },
  policy_no_match: (seen, stopped) =>
    stopped ? noPolicy(seen) : { saw: policyWithCost(seen.facts) },
  scope: (seen, stopped) => {
    if (stopped) return notOpen(seen);
    const { keyScopes, customer } = seen.facts;
    const isRestricted = keyScopes !== null || (customer?.plan?.scopes ?? null) !== null;
    return {
      saw: isRestricted ? listed(seen.facts.match.winner?.scopes) : 'the key is not restricted',
    };
  },
  inactive_subscription: ({ project, facts: { subscription } }, stopped) => ({
    saw:
      subscription === null
        ? 'none'
        : `${legible(subscription.plan.name)}, ${subscription.status.replace('_', ' ')}${subscription.currentPeriodEnd ? ', until' : ''}`,
    ...at(subscription?.currentPeriodEnd),
    ...(stopped && {
      remedy: {
        text: 'A subscription allows calls while it is active or in trial, until its period ends.',
        href: hrefOf(project, 'subscription'),
        label: 'Go to the subscription',
      },
    }),
  }),
  customer: ({ project, facts: { customer, denialDetail } }, stopped) => {
    if (customer === null) return { saw: 'the key has none' };
    const { plan } = customer;
    const state = customer.suspended
      ? 'suspended'
      : plan &&
        `${legible(plan.name)}, ${denialDetail === 'customer_period_ended' ? 'its period has ended' : plan.status.replace('_', ' ')}`;
    return {
      saw: state ? `${legible(customer.externalId)}: ${state}` : legible(customer.externalId),
      ...(stopped && {
        remedy: {
          text: customer.suspended
            ? 'Calls with every key of this customer are denied until it is resumed.'
            : 'A customer’s plan allows calls while it is active or in trial, until its period ends.',
          href: hrefOf(project, `customers/${customer.customerId}`),
          label: 'Go to the customer',
        },
      }),
    };
  },
  quota_exceeded: (seen, stopped) => ({
    ...(seen.limits && { saw: seen.limits.quota }),
    ...(stopped && {
      remedy: {
        text: whenQuotaHasRoom(seen),
        ...placeOfLimit(seen, seen.limits?.quotaOf),
      },
    }),
  }),
  rate_limited: (seen, stopped) => ({
    ...(seen.limits && {
      saw: stopped ? seen.limits.minute : `${seen.limits.minute}, checked at the call`,
    }),
    ...(!stopped && { state: 'live' }),
    ...(stopped && {
      remedy: {
        text: 'A rate of 0 allows no requests.',
        ...placeOfLimit(seen, seen.limits?.rateOf),
      },
    }),
  }),
};

const NO_KEY_HERE = 'no key of this project';

/** What a text is that is no key of the project; of an imported key it may be any. */
function unknownKey(presented: string | null): string {
  const key = lookupDigestOf(presented);
  if (key === null) return 'not a well-formed key';
  return key.isForeign ? 'not a well-formed key, and no imported one' : NO_KEY_HERE;
}

function whenQuotaHasRoom({ limits, facts: { at, cost } }: Seen): string {
  if (limits !== null && limits.quotaValue < cost) {
    return `The call costs ${formatCount(cost)}, more than the whole quota: it needs a larger quota, or a lower cost.`;
  }
  return `Calls are allowed again from ${minuteTime(limits?.endsAt ?? at, 'UTC')}, or with a larger quota.`;
}

interface JudgedLimits {
  /** Whose the quota and the lowest rate are. */
  quotaOf: LimitOwner;
  rateOf: LimitOwner;
  quotaValue: number;
  /** Requests per minute. */
  rate: number;
  quota: string;
  minute: string;
  countedAt: Date | null;
  /** The end of the quota's period. */
  endsAt: Date;
}

/**
 * The quota that denies, as the Runtime names it (the first without room for the call), else the one with
 * the least left; and the lowest rate.
 */
function judgeLimits({ scopes, at, cost }: SimulationFacts): JudgedLimits {
  const quotas = scopes.flatMap(({ quota, used, countedAt, period }) =>
    quota === null ? [] : [{ quota, used, countedAt, period }],
  );
  const full = quotas.filter(({ quota, used }) => cost > 0 && used + cost > quota.value);
  const least = quotas.reduce((least, next) =>
    next.quota.value - next.used < least.quota.value - least.used ? next : least,
  );
  const shown = full[0] ?? least;
  const rates = scopes.flatMap(({ rate }) => rate ?? []);
  const lowest = rates.reduce((least, next) => (next.value < least.value ? next : least));
  const { quota, used, countedAt } = shown;
  // The call is allowed again once all of them have room.
  const ends = (full.length > 0 ? full : [shown]).map(({ period }) => {
    const window = windowOfPeriod(period);
    return window.startOf(window.numberAt(at.getTime()) + 1);
  });
  return {
    quotaOf: quota.owner,
    quotaValue: quota.value,
    rateOf: lowest.owner,
    rate: lowest.value,
    quota: `${formatCount(used)} of ${formatCount(quota.value)} used${quota.window === 'day' ? ' today' : ''}${ofOwner(quota)}`,
    minute: `${formatCount(lowest.value)} per minute${ofOwner(lowest)}`,
    countedAt,
    endsAt: new Date(Math.max(...ends)),
  };
}

const ofOwner = ({ owner }: Limit) => OWNERS[owner].words;

/** Whose limit it is, and where it is changed. */
const OWNERS: Record<
  LimitOwner,
  { words: string; label: string; path: (facts: SimulationFacts) => string }
> = {
  plan: { words: '', label: 'Change the plan', path: () => 'subscription' },
  project_default: {
    words: ' of this key',
    label: 'Change the limits of the key',
    path: keyPath,
  },
  api_key: { words: ' of this key', label: 'Change the limits of the key', path: keyPath },
  customer: {
    words: ' of its customer',
    label: 'Change the limits of the customer',
    path: customerPath,
  },
  customer_plan: {
    words: ' of its customer’s plan',
    label: 'Change the plan of the customer',
    path: customerPath,
  },
};

function keyPath({ apiKey }: SimulationFacts): string {
  return `keys/${apiKey?.apiKeyId}`;
}
function customerPath({ customer }: SimulationFacts): string {
  return `customers/${customer?.customerId}`;
}

function placeOfLimit({ project, facts }: Seen, owner: LimitOwner = 'plan') {
  const { label, path } = OWNERS[owner];
  return { href: hrefOf(project, path(facts)), label };
}

/** Whose labels do not open the policy, and where to go on: no scopes open a policy without labels. */
function notOpen(seen: Seen): GateView {
  const { project, facts } = seen;
  const { customer, match, otherPolicies, denialDetail } = facts;
  const isOfPlan = denialDetail === 'plan_scope';
  const labels = (isOfPlan ? customer?.plan?.scopes : facts.keyScopes) ?? null;
  const closed = [match.winner ?? [], otherPolicies].flat().find((each) => !opens(labels, each));
  const asked = closed?.scopes ?? [];
  const policy =
    closed && closed !== match.winner
      ? `Servers may take the call for one of ${policyText(closed)}, which`
      : 'The policy';
  const scopes = isOfPlan
    ? { href: hrefOf(project, 'plans'), label: 'Go to the plans' }
    : { href: hrefOf(project, keyPath(facts)), label: 'Change the scopes of the key' };
  return {
    saw: isOfPlan
      ? `the customer’s plan ${legible(customer?.plan?.name ?? '')} has ${listed(labels)}`
      : `the key has ${listed(labels)}`,
    remedy:
      asked.length > 0
        ? { text: `${policy} is open to ${listed(asked)}.`, ...scopes }
        : {
            text: `${policy} has no labels, so it is closed to restricted keys.`,
            ...(seen.may('change_policies') && {
              href: hrefOf(project, `policies/${closed?.policyId}`),
              label: 'Give the policy labels',
            }),
          },
  };
}

const listed = (labels: Labels | undefined): string =>
  labels?.length ? labels.join(', ') : 'no scopes';

function policyWithCost({ match: { winner }, otherPolicies, cost }: SimulationFacts): string {
  if (winner === null) return '';
  const dearer = winner.cost < cost && otherPolicies.find((policy) => policy.cost === cost);
  const price = cost === 0 ? 'free' : `costs ${formatCount(cost)}`;
  if (dearer) return `${policyText(winner)}, ${price} as ${policyText(dearer)}`;
  return cost === 1 ? policyText(winner) : `${policyText(winner)}, ${price}`;
}

function noPolicy({
  project,
  may,
  facts: { match },
  policies,
  call: { method, path },
}: Seen): GateView {
  const saw =
    policies.length === 0
      ? 'there are no policies'
      : `no match among ${plural(policies.length, 'policy', 'policies')}`;
  if (match.ambiguous !== null) {
    return {
      saw,
      remedy: {
        text: `The path ${match.ambiguous}, so servers may read it in different ways. Only the pattern * matches it. ${isProbe(path) ? 'It is a probe: nothing is to be changed.' : 'Change the path that the caller sends.'}`,
        href: hrefOf(project, 'policies'),
        label: 'See the policies',
      },
    };
  }
  const pattern = parsePathPattern(match.path ?? path);
  if (!pattern.ok) {
    return {
      saw,
      remedy: {
        text: `No policy can name this exact path, because a pattern ${pattern.reason}. A prefix above it, with a * at the end, can match it.`,
        href: hrefOf(project, 'policies'),
        label: 'See the policies',
      },
    };
  }
  const near = policies.find((policy) => matchesUnderItsMethod(policy, path));
  const query = new URLSearchParams({ method, pathPattern: pattern.pattern });
  return {
    saw,
    remedy: {
      text: near
        ? `${policyText(near)} matches the path, but not the method ${method}.`
        : 'Calls that no policy matches are denied. Add a policy to allow this call.',
      ...(may('change_policies') && {
        href: hrefOf(project, `policies/new?${query}`),
        label: `Add a policy for ${method} ${pattern.pattern}`,
      }),
    },
  };
}

const matchesUnderItsMethod = (policy: Policy, path: string) =>
  explainMatch([policy], policy.method, path).winner !== null;

const newKey = (seen: Seen, state: string) => ({
  text: `A key that is ${state} cannot be used again. Create a new key for the caller.`,
  ...toNewKey(seen),
});

const toNewKey = ({ project, may }: Seen) =>
  may('change_keys') && { href: hrefOf(project, 'keys/new'), label: 'Create a key' };

const lastUse = (lastUsedAt: string | null | undefined): GateView =>
  lastUsedAt ? { saw: 'last used', ...at(lastUsedAt) } : { saw: 'never used' };

const hrefOf = (project: Project, path: string) => `/projects/${project.projectId}/${path}`;
const at = (instant: Date | string | null | undefined) =>
  instant ? { at: new Date(instant).toISOString() } : {};
