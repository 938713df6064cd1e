import { startRedisCluster } from '../../support/redis-cluster.ts';
import { startSentinelGroup } from '../../support/sentinel.ts';
import type { PrivateStage } from '../support/private-stage.ts';
import type { Edit } from '../support/programs.ts';
import type { Random } from '../support/random.ts';
import { PATIENT, type Stage, startNode, startTwoNodes } from '../support/stage.ts';
import { type Arrangement, openStandbyStage } from '../support/standby-stage.ts';
import type { Rule } from '../support/violation.ts';
import { proveClockLeap } from './clock-leap.ts';
import { proveClockStep } from './clock-loss.ts';
import { ANY_CLOCK_IS_SOUND } from './clock-offset.ts';
import { proveTrouble, type TroubleKind } from './cluster.ts';
import { proveDrain } from './drain.ts';
import { proveExactness } from './exactness.ts';
import { type FaultKind, openFaultScene, proveFault } from './faults.ts';
import { proveFencing } from './fencing.ts';
import { proveLongList } from './long-list.ts';
import { proveLongPolicyList } from './long-policy-list.ts';
import { type LossKind, proveLoss } from './loss.ts';
import { provePoisonedKey } from './poison.ts';
import { proveRuntimeLoss } from './process-loss.ts';
import { type Kind, proveRevocation } from './revocation.ts';
import { proveFailover } from './sentinel.ts';
import { proveSleeper } from './sleeper.ts';
import { proveStandbyIsNotAsked } from './standby.ts';
import { proveStrangers } from './strangers.ts';
import { proveTriggersOff } from './triggers-off.ts';

/** A mutant of the Runtime, and the proof that has to catch it. */
export interface Mutant {
  /** Each edit replaces a text of the built program. */
  edits: readonly Edit[];
  /** The rule that the mutant breaks. */
  rule: Rule;
  /** Another rule that it breaks, whose check may come first. */
  otherRule?: Rule;
  /** The Redis in JavaScript cannot show it, because it keeps nothing on disk. */
  needsRealRedis?: true;
  /** Also part of the small size. */
  isInSmall?: true;
  /** The proof that guards the rule. */
  try(context: MutantContext): Promise<unknown>;
}

export interface MutantContext {
  /** The servers, with the unchanged Runtime. */
  stage: PrivateStage;
  /** The same servers, with the mutant. */
  mutant: Stage;
  edits: readonly Edit[];
  random: Random;
}

/** A mutant that is wrong only in some orders of calls needs a few rounds; the first violation ends them. */
const ROUNDS_MAX = 40;

export const MUTANTS: Record<string, Mutant> = {
  'get, then increment, instead of one script': {
    edits: [
      {
        file: 'main.js',
        find: 'run(client, keys, args), call)',
        replace:
          'run(client, keys, [...args, ' +
          '(await client.mget(...keys.slice(1))).map((got) => got ?? "").join(",")]), call)',
      },
      {
        file: 'counters.lua',
        find: "local stored = redis.call('MGET', unpack(KEYS, 2))",
        replace:
          "local stored = {} for got in string.gmatch(table.remove(ARGV) .. ',', '([^,]*),') do " +
          'stored[#stored + 1] = got end',
      },
    ],
    rule: 'allows exactly what the limits leave',
    isInSmall: true,
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  'charges that are judged against the counters before their call': {
    edits: [
      {
        file: 'charge.lua',
        find: 'local kinds, charges = unpack(cjson.decode(ARGV[3]))',
        replace:
          'local kinds, charges = unpack(cjson.decode(ARGV[3])) ' +
          // One by one: a counter that needs a seed has no counts, and `unpack` ends there.
          'local periodsBefore, minutesBefore = {}, {} for i = 1, #stored do ' +
          'periodsBefore[i], minutesBefore[i] = periodCounts[i], minuteCounts[i] end',
      },
      {
        file: 'charge.lua',
        find: 'periodCounts[kind[at]] + cost <= quota',
        replace: 'periodsBefore[kind[at]] + cost <= quota',
      },
      {
        file: 'charge.lua',
        find: 'minuteCounts[kind[at]] < rate',
        replace: 'minutesBefore[kind[at]] < rate',
      },
    ],
    rule: 'allows exactly what the limits leave',
    isInSmall: true,
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  "a customer's limits that are left out": {
    edits: [
      {
        file: 'main.js',
        find: 'this.add("customer", customerId, billingDay, own,',
        replace: 'void ("customer", customerId, billingDay, own,',
      },
    ],
    rule: 'allows exactly what the limits leave',
    isInSmall: true,
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  'a customer who is charged before the key is judged': {
    edits: [
      {
        file: 'charge.lua',
        find: 'costs[i] = (costs[i] or 0) + cost\n    end',
        // Of the three counters the second is the customer's. Nothing is counted as usage.
        replace:
          'costs[i] = (costs[i] or 0) + cost\n' +
          '    elseif at == 6 and #kind == 11 then\n' +
          '      minuteCounts[i], periodCounts[i] = minuteCounts[i] + 1, periodCounts[i] + cost\n' +
          '    end',
      },
    ],
    rule: 'allows exactly what the limits leave',
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  "a customer's counter that is named by the key": {
    edits: [
      {
        file: 'main.js',
        find: 'if (customer) scopes2.addCustomer(customer);',
        replace: 'if (customer) scopes2.addCustomer({ ...customer, customerId: apiKey.apiKeyId });',
      },
    ],
    rule: 'allows exactly what the limits leave',
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  'a customer whose month begins on the first for everybody': {
    edits: [
      {
        file: 'main.js',
        find: 'this.add("customer", customerId, billingDay, own,',
        replace: 'this.add("customer", customerId, CALENDAR_MONTH, own,',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation("a customer's month begins on a day on which nothing is left"),
  },
  'a policy without labels that is open to restricted keys': {
    edits: [
      {
        file: 'main.js',
        find: '!opensAll(apiKey.scopes, meant)',
        replace: 'policy.scopes !== null && !opensAll(apiKey.scopes, meant)',
      },
      {
        file: 'main.js',
        find: '!opensAll(customer.plan.scopes, meant)',
        replace: 'policy.scopes !== null && !opensAll(customer.plan.scopes, meant)',
      },
    ],
    rule: 'a change applies from the next decision on',
    isInSmall: true,
    try: revocation('a label is taken away'),
  },
  "the labels of a customer's plan that are not looked at": {
    edits: [
      {
        file: 'main.js',
        find: 'if (customer?.plan && !opensAll(customer.plan.scopes, meant))',
        replace: 'if (false)',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation('a label is taken away'),
  },
  'the first policy with the label instead of the most specific one': {
    edits: [
      {
        file: 'main.js',
        find: 'canonicalPath(target))) return policy;',
        replace:
          'canonicalPath(target))) if (policy.scopes?.includes("read") ?? true) return policy;',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation('a label is taken away'),
  },
  'a batch that is charged from its end': {
    edits: [
      {
        file: 'main.js',
        find: 'const answers = await outcomesOf(\n    loaded.map(',
        replace: 'const answers = await outcomesOf(\n    fromItsEnd(loaded, ',
      },
      {
        file: 'main.js',
        find: 'function outcomesOf(',
        replace:
          'const fromItsEnd = (items, charge) => items.toReversed().map(charge).reverse();\n' +
          'function outcomesOf(',
      },
    ],
    rule: 'a batch is charged in its order',
    isInSmall: true,
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  "a batch whose denied question takes its neighbour's answer": {
    edits: [
      {
        file: 'main.js',
        find: 'for (const answer of answers) {\n    if (!(answer instanceof Error)) continue;',
        replace:
          'for (const [at, own] of [...answers.entries()].reverse()) { ' +
          'const isOfOther = asked[at - 1]?.apiKey !== asked[at]?.apiKey; ' +
          'const isTaken = own.allowed === false && answers[at - 1]?.allowed && isOfOther; ' +
          'if (isTaken) answers[at] = answers[at - 1]; }\n' +
          '  for (const answer of answers) {\n    if (!(answer instanceof Error)) continue;',
      },
    ],
    rule: 'an answer is about its own question',
    isInSmall: true,
    try: ({ mutant, random }) => proveExactness(mutant, ROUNDS_MAX, random),
  },
  'a batch that fails with one of its questions': {
    edits: [
      {
        file: 'main.js',
        find: 'error instanceof UnavailableError ? keep(place, error) : reject(error)',
        replace: 'reject(error)',
      },
      {
        file: 'main.js',
        find: 'if (!(error instanceof UnavailableError)) throw error;\n    return Array',
        replace: 'throw error;\n    return Array',
      },
    ],
    rule: 'a fault does not affect others',
    isInSmall: true,
    try: fault('Redis is frozen'),
  },
  "a place in a project's share before the secret is proven": {
    edits: [
      {
        file: 'main.js',
        find: 'return this.#options.proven.find(asked) ??',
        replace: 'return { ...asked, untilMs: Infinity } ??',
      },
    ],
    rule: 'strangers take nothing of a project',
    isInSmall: true,
    try: ({ mutant }) => proveStrangers(mutant, 'unfinished', 1),
  },
  'a cache of lookups that lasts a second': {
    edits: [
      {
        file: 'main.js',
        find: 'this.#enqueue(item, { deadline, askedAtMs: performance.now(), resolve, reject });',
        replace:
          'const held = (globalThis.held ??= new Map()); ' +
          'const question = item.projectId + item.apiKeyDigest?.toString("hex"); ' +
          'const known = held.get(question); ' +
          'if (known && performance.now() - known.at < 1000) return resolve(known.row); ' +
          'const keep = (row) => { held.set(question, { row, at: performance.now() }); resolve(row); }; ' +
          'this.#enqueue(item, { deadline, askedAtMs: 0, resolve: keep, reject });',
      },
    ],
    rule: 'a change applies from the next decision on',
    isInSmall: true,
    try: revocation('a key is revoked'),
  },
  'a cache of policies that ignores their revision': {
    edits: [
      {
        file: 'main.js',
        find: 'if (cached?.revision !== revision)',
        replace: 'if (cached === undefined)',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation('a policy is removed'),
  },
  'a Runtime that ignores its lease': {
    edits: [
      {
        file: 'main.js',
        find: 'const finding = fence?.judge(row) ?? "trusted";',
        replace: 'const finding = "trusted";',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: ({ mutant }) => proveFencing(mutant),
  },
  'a lease that any commit renews': {
    edits: [
      {
        file: 'main.js',
        find: "set_config('synchronous_commit', 'on', true)",
        replace: "set_config('synchronous_commit', 'local', true)",
      },
    ],
    rule: 'a change applies from the next decision on',
    try: ({ mutant }) => proveFencing(mutant),
  },
  'a cache of policies without an age': {
    edits: [
      {
        file: 'main.js',
        find: 'if (ageMs >= AGE_MS_MAX) return this.#loadFor(projectId, revision);',
        replace: '',
      },
    ],
    rule: 'a change applies from the next decision on',
    async try({ mutant }) {
      const node = await startNode(mutant, { settings: PATIENT });
      try {
        return await proveTriggersOff(mutant, node, 1);
      } finally {
        await node.stop();
      }
    },
  },
  'a previous secret that outlives the next rotation': {
    edits: [
      {
        file: 'main.js',
        find: 'return isCurrent || isPrevious ? project : null;',
        replace:
          'const seen = (globalThis.seen ??= new Set()); const given = presented.toString("hex"); ' +
          'if (!isCurrent && !isPrevious && !seen.has(given)) return null; seen.add(given); return project;',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation('the secret is rotated twice'),
  },
  'counters without an epoch': {
    edits: [
      {
        file: 'counters.lua',
        find: 'local begins = epochs[i] ~= epoch or',
        replace: 'local begins =',
      },
    ],
    rule: 'a loss hands nothing out again',
    needsRealRedis: true,
    isInSmall: true,
    try: loss('Redis starts with an older snapshot'),
  },
  'a Runtime that forgets what it has seen': {
    edits: [
      {
        file: 'main.js',
        find: 'seenCounters.get(key)',
        replace: 'seenCounters.get("nothing")',
      },
    ],
    rule: 'a loss hands nothing out again',
    try: loss('Redis is flushed'),
  },
  'a flush that adds up': {
    edits: [
      {
        file: 'main.js',
        find: ', excluded.',
        replace: ' + excluded.',
      },
    ],
    rule: 'usage equals the allowed calls',
    // What is counted twice is missing from a quota that is read back after a loss.
    otherRule: 'a loss hands nothing out again',
    try: loss('Redis is flushed'),
  },
  'a flush that overwrites': {
    edits: [
      {
        file: 'main.js',
        find: 'greatest(${',
        replace: 'greatest(null * ${',
      },
      { file: 'main.js', find: '< excluded.', replace: '<> excluded.' },
    ],
    rule: 'usage equals the allowed calls',
    try: ({ stage, mutant, random }) => proveSleeper(stage, 3, random, mutant),
  },
  'a transaction that sleeps with its locks': {
    edits: [
      {
        file: 'main.js',
        find: 'idle_in_transaction_session_timeout: 5e3',
        replace: 'idle_in_transaction_session_timeout: 0',
      },
    ],
    rule: 'usage equals the allowed calls',
    try: ({ stage, mutant, random }) => proveSleeper(stage, 2, random, mutant),
  },
  'a sweep that adopts nothing': {
    edits: [
      {
        file: 'main.js',
        find: 'for (const fact of facts) found.set(factKey(fact), fact);',
        replace: '',
      },
    ],
    rule: 'usage equals the allowed calls',
    try: ({ stage, mutant, random }) => proveRuntimeLoss(stage, 1, random, mutant),
  },
  'a sweep that treats everything as written': {
    edits: [
      {
        file: 'main.js',
        find: 'missing: { hours: row.hours, months: row.months, days: row.days }',
        replace: 'missing: { hours: [], months: [], days: [] }',
      },
    ],
    rule: 'usage equals the allowed calls',
    try: ({ stage, mutant, random }) => proveRuntimeLoss(stage, 1, random, mutant),
  },
  'a stop without a last flush': {
    edits: [
      {
        file: 'main.js',
        find: 'waiting: () => ledger.size,',
        replace: '',
      },
    ],
    rule: 'usage equals the allowed calls',
    try: ({ mutant, random }) => proveDrain(mutant, 3, random),
  },
  'a list that is read in one statement': {
    edits: [{ file: 'main.js', find: 'KEYS_PER_PAGE = 500', replace: 'KEYS_PER_PAGE = 5e5' }],
    rule: 'a fault does not affect others',
    try: ({ mutant }) => proveLongList(mutant, 4),
  },
  'a policy list that is read at once': {
    edits: [{ file: 'main.js', find: ' PAGE_SIZE = 1e3', replace: ' PAGE_SIZE = 1e6' }],
    rule: 'a fault does not affect others',
    isInSmall: true,
    try: ({ mutant }) => proveLongPolicyList(mutant, 5),
  },
  'a stop that closes idle connections at once': {
    edits: [
      {
        file: 'main.js',
        find: 'NetServer.prototype.close.call(server)',
        replace: 'server.close()',
      },
    ],
    rule: 'stops gracefully',
    try: ({ mutant, random }) => proveDrain(mutant, 12, random),
  },
  'a stop that cuts off a request under way': {
    edits: [
      {
        file: 'main.js',
        find: 'server.closeAllConnections(), drainMs',
        replace: 'server.closeAllConnections(), 500 + 0 * drainMs',
      },
    ],
    rule: 'stops gracefully',
    try: ({ mutant, random }) => proveDrain(mutant, 2, random),
  },
  'windows that go back': {
    edits: [
      {
        file: 'counters.lua',
        find: 'local periods = {}',
        replace: 'minute = math.floor(timeMs / 60000) local periods = {}',
      },
    ],
    rule: 'a loss hands nothing out again',
    try: ({ stage, edits, random }) => proveClockStep(stage, 3, random, edits),
  },
  'a Redis clock that is followed over any leap': {
    edits: [ANY_CLOCK_IS_SOUND],
    rule: 'a fault never allows a call',
    try: ({ stage, edits, random }) => proveClockLeap(stage, 1, random, edits),
  },
  'a catch that allows': {
    edits: [
      {
        file: 'main.js',
        find: 'const first = await attempt2(request, null, deadline);',
        replace:
          'const first = await attempt2(request, null, deadline).catch(() => null); ' +
          'const limits = { rateLimitPerMinute: 1, monthlyQuota: 1, ' +
          'remainingThisMinute: 0, remainingThisMonth: 0 }; ' +
          'if (!first) return { kind: "allowed", limits, resetAfterSeconds: { minute: 1, month: 1 } };',
      },
    ],
    rule: 'a fault never allows a call',
    isInSmall: true,
    try: fault('Redis is killed'),
  },
  "a client that one node's error closes": {
    edits: [
      {
        file: 'main.js',
        find: '&& isReply(error, WANTS_ANOTHER_CONNECTION)',
        replace: '|| isReply(error, WANTS_ANOTHER_CONNECTION)',
      },
    ],
    rule: 'a fault does not affect others',
    needsRealRedis: true,
    try: trouble('a node has a full disk'),
  },
  'a Runtime that asks the sentinels only when it connects': {
    edits: [{ file: 'main.js', find: 'if (await source.isReplaced?.())', replace: 'if (false)' }],
    rule: 'a loss hands nothing out again',
    needsRealRedis: true,
    try: async ({ mutant, random }) => {
      const group = await startSentinelGroup();
      try {
        const stage = { ...mutant, redisUrl: group.url };
        return await proveFailover(stage, group, 'the primary freezes and wakes', 1, random);
      } finally {
        await group.dispose();
      }
    },
  },
  'charges without a deadline': {
    edits: [
      {
        file: 'charge.lua',
        find: "fault ~= 'malformed' and not (timeMs <= deadlineMs)",
        replace: 'false',
      },
    ],
    rule: 'few charges run late',
    try: fault('Redis is frozen'),
  },
  'a wait without a deadline': {
    edits: [
      {
        file: 'main.js',
        find: 'const timer = setTimeout(() => setImmediate(expire), Math.max(0, ms));',
        replace: 'const timer = 0;',
      },
    ],
    rule: 'a fault is answered in time',
    try: fault('the network to Postgres goes dark'),
  },
  'lookups that a standby may answer': {
    edits: [
      {
        file: 'main.js',
        find: 'requirePrimary(db, { inRecovery, server, isSynchronous });',
        replace: '',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: standby('a balancer in front of both'),
  },
  'policies that a standby may list': {
    edits: [
      {
        file: 'main.js',
        find: 'requirePrimary(db, rows[0]);\n  const lists',
        replace: 'const lists',
      },
    ],
    rule: 'a change applies from the next decision on',
    isInSmall: true,
    try: standby('a balancer in front of both'),
  },
  'a replaced secret whose overlap never ends': {
    edits: [{ file: 'main.js', find: 'and o.previous_expires_at > now()', replace: '' }],
    rule: 'a change applies from the next decision on',
    try: revocation('the overlap of a replaced secret ends'),
  },
  'a rotation at once that leaves the secret for an hour': {
    edits: [
      {
        file: 'main.js',
        find: 'overlapSeconds === 0 ? NO_PREVIOUS : replacedFor(overlapSeconds)',
        replace: 'replacedFor(overlapSeconds || 3600)',
      },
    ],
    rule: 'a change applies from the next decision on',
    try: revocation('the secret of a key is replaced at once'),
  },
  'totals of usage that a standby may return': {
    edits: [
      {
        file: 'main.js',
        find: 'requirePrimary(db, rows[0]);\n  const uses',
        replace: 'const uses',
      },
    ],
    rule: 'a loss hands nothing out again',
    try: standby('a balancer in front of both'),
  },
  'a bad item that fails its batch': {
    edits: [
      {
        file: 'main.js',
        find: 'isOfOneItem: (error) => classifyError(error) === "statement"',
        replace: 'isOfOneItem: () => false',
      },
    ],
    rule: 'a fault does not affect others',
    try: ({ mutant, random }) => provePoisonedKey(mutant, 3, random),
  },
};

function revocation(kind: Kind): Mutant['try'] {
  return async ({ mutant, random }) => {
    const nodes = await startTwoNodes(mutant, { settings: PATIENT });
    try {
      return await proveRevocation(mutant, nodes, kind, 5, random);
    } finally {
      await Promise.all(nodes.map((node) => node.stop()));
    }
  };
}

function loss(kind: LossKind): Mutant['try'] {
  return ({ stage, mutant, random }) => proveLoss(stage, kind, 4, random, mutant);
}

function trouble(kind: TroubleKind): Mutant['try'] {
  return async ({ mutant, random }) => {
    const cluster = await startRedisCluster();
    try {
      const stage = { ...mutant, redisUrl: cluster.url };
      return await proveTrouble(stage, cluster, kind, 1, random);
    } finally {
      await cluster.dispose();
    }
  };
}

function fault(kind: FaultKind): Mutant['try'] {
  return async ({ stage, mutant, random }) => {
    const scene = await openFaultScene(stage, mutant);
    try {
      return await proveFault(scene, kind, 2, random);
    } finally {
      await scene.close();
    }
  };
}

function standby(arrangement: Arrangement): Mutant['try'] {
  return async ({ mutant: { program } }) => {
    const stage = await openStandbyStage();
    try {
      return await proveStandbyIsNotAsked(stage, arrangement, 1, { ...stage, program });
    } finally {
      await stage.close();
    }
  };
}
