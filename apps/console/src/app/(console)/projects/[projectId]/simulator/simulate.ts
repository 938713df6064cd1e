import { legible } from '#lib/text.ts';
import 'server-only';
import { DENIAL_REASONS, type DenialReason } from '@ceiba/contract/sets';
import { explainMatch, isWellFormedApiKey, type Policy, parsePathPattern } from '@ceiba/domain';
import {
  type Database,
  listPolicies,
  type Project,
  readSimulation,
  type SimulatedScope,
  type Simulation as SimulationFacts,
  type SimulationInput,
} from '@ceiba/schema';
import { formatCount, plural } from '#lib/format.ts';
import type { SimulatedGate, Simulation } from './_components/simulation.ts';

export type SimulatedCall = Omit<SimulationInput, 'projectId'>;

/**
 * What a call would come to, gate by gate, in words. The verdict is the verb's, by the rule and the
 * lookup of the Runtime; here each gate gets the value that it saw and the fix.
 *
 * @returns null when the project is gone
 */
export async function simulate(
  db: Database,
  project: Project,
  call: SimulatedCall,
): Promise<Simulation | null> {
  const facts = await readSimulation(db, { projectId: project.projectId, ...call });
  if (facts === null) return null;
  const limits = facts.scopes.length === 0 ? null : judgeLimits(facts.scopes);
  // A rate of 0 is the one thing about the minute that is certain without asking the Runtime.
  const denialReason = facts.denialReason ?? (limits?.rate === 0 ? 'rate_limited' : null);
  const policies =
    denialReason === 'policy_no_match' ? await listPolicies(db, project.projectId) : [];
  const seen: Seen = { project, facts, call, limits, policies };
  const stoppedAt = denialReason === null ? -1 : DENIAL_REASONS.indexOf(denialReason);
  return {
    denialReason,
    apiKey: facts.apiKey && {
      displayName: facts.apiKey.displayName,
      keyPrefix: facts.apiKey.keyPrefix,
    },
    method: call.method,
    path: call.path,
    gates: DENIAL_REASONS.map((reason, index) => gateOf(reason, index, stoppedAt, seen)),
    usageAsOf: limits?.countedAt?.toISOString() ?? null,
  };
}

interface Seen {
  project: Project;
  facts: SimulationFacts;
  call: SimulatedCall;
  /** Null where a gate before the limits denies. */
  limits: JudgedLimits | null;
  /** All of them, where none matched. */
  policies: readonly Policy[];
}

function gateOf(denies: DenialReason, index: number, stoppedAt: number, seen: Seen): SimulatedGate {
  if (stoppedAt !== -1 && index > stoppedAt) return { denies, verdict: 'not_reached' };
  const stopped = index === stoppedAt;
  const verdict = !stopped
    ? denies === 'rate_limited'
      ? 'live'
      : 'passed'
    : denies === 'quota_exceeded' || denies === 'rate_limited'
      ? 'limited'
      : 'denied';
  return { denies, verdict, ...GATES[denies](seen, stopped) };
}

type GateView = Pick<SimulatedGate, 'saw' | 'at' | 'remedy'>;

/** What each gate saw and, where it stopped the call, how to fix it. */
const GATES: Record<DenialReason, (seen: Seen, stopped: boolean) => GateView> = {
  missing_api_key: ({ project }, stopped) =>
    stopped
      ? {
          saw: 'none',
          remedy: {
            text: 'Send a key as “x-api-key: …” or as “Authorization: Bearer …”.',
            href: hrefOf(project, 'keys/new'),
            label: 'Create a key',
          },
        }
      : { saw: 'a key' },
  invalid_api_key: ({ project, facts, call: { credential } }, stopped) =>
    stopped
      ? {
          saw:
            'presented' in credential && !isWellFormedApiKey(credential.presented ?? '')
              ? 'not the shape of a key, or a typing error'
              : 'no key of this project',
          remedy: {
            text: 'Copy the key again, all of it, from where it was stored. A key of another project does not count here.',
            href: hrefOf(project, 'keys'),
            label: 'See the keys of this project',
          },
        }
      : { saw: legible(facts.apiKey?.displayName ?? '') },
  revoked_api_key: ({ project, facts }, stopped) =>
    stopped
      ? { saw: 'revoked', ...at(facts.apiKey?.revokedAt), remedy: newKey(project, 'revoked') }
      : { saw: 'not revoked' },
  archived_api_key: ({ project, facts }, stopped) =>
    stopped
      ? { saw: 'archived', ...at(facts.apiKey?.archivedAt), remedy: newKey(project, 'archived') }
      : { saw: 'not archived' },
  expired_api_key: ({ project, facts }, stopped) => ({
    saw: stopped ? 'expired' : facts.apiKey?.expiresAt ? 'expires' : 'never expires',
    ...at(facts.apiKey?.expiresAt),
    ...(stopped && {
      remedy: {
        text: 'Set a later expiry, or none, to allow the key again.',
        href: hrefOf(project, `keys?q=${facts.apiKey?.keyPrefix}`),
        label: 'Go to the key',
      },
    }),
  }),
  policy_no_match: (seen, stopped) =>
    stopped
      ? noPolicy(seen)
      : { saw: seen.facts.match.winner ? wordsOf(seen.facts.match.winner) : '' },
  inactive_subscription: ({ project, facts: { subscription } }, stopped) => ({
    saw:
      subscription === null
        ? 'none'
        : `${legible(subscription.plan.name)}, ${subscription.status.replace('_', ' ')}${subscription.currentPeriodEnd ? ', until' : ''}`,
    ...at(subscription?.currentPeriodEnd),
    ...(stopped && {
      remedy: {
        text: 'A subscription allows calls while it is active or in trial and its period is not over.',
        href: hrefOf(project, 'subscription'),
        label: 'Go to the subscription',
      },
    }),
  }),
  quota_exceeded: ({ project, limits }, stopped) => ({
    ...(limits && { saw: limits.month }),
    ...(stopped && {
      remedy: {
        text: 'Calls are allowed again when the next month begins in UTC, or with a larger quota.',
        ...placeOfLimit(project, limits?.quotaOf),
      },
    }),
  }),
  rate_limited: ({ project, limits }, stopped) => ({
    ...(limits && { saw: stopped ? limits.minute : `${limits.minute}, counted live` }),
    ...(stopped && {
      remedy: {
        text: 'A rate of 0 allows no requests.',
        ...placeOfLimit(project, limits?.rateOf),
      },
    }),
  }),
};

interface JudgedLimits {
  /** Whose quota has the least left, and whose rate is the lowest. */
  quotaOf: SimulatedScope['kind'];
  rateOf: SimulatedScope['kind'];
  /** Requests a minute. */
  rate: number;
  month: string;
  minute: string;
  countedAt: Date | null;
}

/** Of all scopes those that refuse first: the month with the least left, the lowest rate. */
function judgeLimits(scopes: readonly SimulatedScope[]): JudgedLimits {
  const months = scopes.flatMap(({ kind, monthlyQuota, usedThisMonth, countedAt }) =>
    monthlyQuota === null ? [] : [{ kind, quota: monthlyQuota, used: usedThisMonth, countedAt }],
  );
  const month = months.reduce((least, next) =>
    next.quota - next.used < least.quota - least.used ? next : least,
  );
  const minutes = scopes.flatMap(({ kind, rateLimitPerMinute }) =>
    rateLimitPerMinute === null ? [] : [{ kind, rate: rateLimitPerMinute }],
  );
  const minute = minutes.reduce((least, next) => (next.rate < least.rate ? next : least));
  const ofKey = (kind: string) => (kind === 'api_key' ? ' of this key' : '');
  return {
    quotaOf: month.kind,
    rateOf: minute.kind,
    rate: minute.rate,
    month: `${formatCount(month.used)} of ${formatCount(month.quota)} used${ofKey(month.kind)}`,
    minute: `${formatCount(minute.rate)} a minute${ofKey(minute.kind)}`,
    countedAt: month.countedAt,
  };
}

const placeOfLimit = (project: Project, scope: SimulatedScope['kind'] | undefined) =>
  scope === 'api_key'
    ? { href: hrefOf(project, 'keys'), label: 'Change the key’s limits' }
    : { href: hrefOf(project, 'subscription'), label: 'Change the plan' };

function noPolicy({ project, facts: { match }, policies, call: { method, path } }: Seen): GateView {
  const saw =
    policies.length === 0
      ? 'there is none'
      : `none of ${plural(policies.length, 'policy', 'policies')}`;
  if (match.ambiguous !== null) {
    return {
      saw,
      remedy: {
        text: `The path ${match.ambiguous}, so servers could read it in two ways; no pattern but a bare * matches it. Have the caller send it without.`,
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
        text: `No policy can name this path as it was sent, because a pattern ${pattern.reason}. Only a prefix (*) above it matches.`,
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
        ? `${wordsOf(near)} matches the path, but not the method ${method}.`
        : 'What no policy matches is denied. Add one to allow this call.',
      href: hrefOf(project, `policies/new?${query}`),
      label: `Add a policy for ${method} ${pattern.pattern}`,
    },
  };
}

const matchesUnderItsMethod = (policy: Policy, path: string) =>
  explainMatch([policy], policy.method, path).winner !== null;

const newKey = (project: Project, state: string) => ({
  text: `A key that is ${state} stays so. Create another one and give it to the caller.`,
  href: hrefOf(project, 'keys/new'),
  label: 'Create a key',
});

const hrefOf = (project: Project, path: string) => `/projects/${project.projectId}/${path}`;
const at = (instant: Date | string | null | undefined) =>
  instant ? { at: new Date(instant).toISOString() } : {};
const wordsOf = ({ method, pathPattern }: Policy) =>
  `${method === '*' ? 'ANY' : method} ${pathPattern}`;
