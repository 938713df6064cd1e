import type { Outcome } from '@ceiba/contract/sets';
import { type Answer, tally, tookMs, type Verdict } from './caller.ts';
import { type Rule, Violation } from './violation.ts';

/**
 * The history of one project, as seen by its callers and Postgres. A proof records its actions and
 * their results; {@link judge} checks the rules. All times are from one clock, in ms.
 */
export interface History {
  readonly limits: Limits;
  readonly asks: Ask[];
  readonly changes: Change[];
  readonly faults: Fault[];
  readonly losses: Loss[];
  /** The usage in Postgres after every Runtime has stopped or flushed. */
  readonly usage: UsageReading[];
  /** From this time on no limit applies: later questions only show the number of charges. */
  limitsLiftedAtMs: number;
}

/** The known limits of the project, and of its keys and customers by id; unknown limits are not judged. */
export interface Limits {
  readonly project: ScopeLimits;
  readonly keys: Readonly<Record<string, ScopeLimits>>;
  readonly customers: Readonly<Record<string, ScopeLimits>>;
  /** The customer of a key, by the key's id; others have none. */
  readonly customerOf: Readonly<Record<string, string>>;
}

export interface ScopeLimits {
  readonly quota: number | null;
  /** Only if the whole history is within one minute. */
  readonly ratePerMinute: number | null;
}

export interface Ask extends Answer {
  readonly key: string;
  /** The month in which the question is counted. */
  readonly window: number;
}

/** A change that affects decisions, made in any way. */
export interface Change {
  /** The changed object, such as a key or the policies: the last change of each object counts. */
  readonly what: string;
  /** Null if it applies to every key. */
  readonly key: string | null;
  readonly sentAtMs: number;
  /** The time of the acknowledgement. */
  readonly answeredAtMs: number;
  readonly becomes: Verdict;
}

/** A dependency was down or slow; no data was lost. */
export interface Fault {
  readonly words: string;
  /** When the fault began, was complete, and began to end. */
  readonly beginsAtMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether no decision is possible during the fault. */
  readonly isTotal: boolean;
  /** Whether earlier answers are still counted after the fault. */
  readonly keepsCounts: boolean;
  /** Infinity if the machine was too busy to judge it. */
  readonly answerWithinMs: number;
  readonly recoverWithinMs: number;
  readonly mostLateCharges: number;
}

/** A loss or delay of counts. After it, any call may have been answered 503. */
export interface Loss {
  readonly words: string;
  /** How many allowed calls the promise permits to lose. */
  readonly forgets: number;
  /** How many calls may be allowed again although usage has them; none by default. */
  readonly repeats?: number;
}

export interface UsageReading {
  /** When it was read, with no question in flight. */
  readonly atMs: number;
  /** Decisions by outcome; only the outcomes in it are judged. */
  readonly outcomes: Partial<Record<Outcome, number>>;
  /** Allowed calls by window. */
  readonly months: Readonly<Record<number, number>>;
}

const NO_LIMITS: ScopeLimits = { quota: null, ratePerMinute: null };

export const openHistory = (limits: Partial<Limits> = {}): History => ({
  limits: { project: NO_LIMITS, keys: {}, customers: {}, customerOf: {}, ...limits },
  asks: [],
  changes: [],
  faults: [],
  losses: [],
  usage: [],
  limitsLiftedAtMs: Number.POSITIVE_INFINITY,
});

/**
 * Checks a history against every rule, in time linear in its length after sorting.
 *
 * @param words a description of the history
 * @throws Violation of the first rule that is broken
 */
export function judge(history: History, words: string): void {
  for (const { rule, words: details } of breaches(history)) {
    throw new Violation(rule, `${words}: ${details}`);
  }
}

interface Breach {
  rule: Rule;
  words: string;
}

function* breaches(history: History): Generator<Breach> {
  yield* ofQuestions(history);
  yield* duringFaults(history);
  yield* withoutFault(history);
  yield* ofChanges(history);
  for (const asks of byWindow(history).values()) {
    yield* ofLimits(history, asks);
    yield* ofLimitDenials(history, asks);
    yield* ofReportedCounts(history, asks, 'month');
    yield* ofReportedCounts(history, asks, 'minute');
    yield* ofBatches(history, asks);
  }
  yield* ofUsage(history);
}

const isAllowed = ({ verdict }: Answer) => verdict === 'allowed';
/** A 503, and a call that got no answer, may have been charged. */
const isUncertain = ({ verdict }: Answer) => verdict === 'unavailable' || verdict === 'no_answer';
const mayBeCharged = (ask: Ask) => isAllowed(ask) || isUncertain(ask);

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);
const forgottenIn = ({ losses }: History) => sumOf(losses.map(({ forgets }) => forgets));
const repeatedIn = (history: History) =>
  forgottenIn(history) + sumOf(history.losses.map(({ repeats = 0 }) => repeats));
const bySending = (asks: readonly Ask[]) => [...asks].sort((a, b) => a.sentAtMs - b.sentAtMs);
const byAnswer = (asks: readonly Ask[]) =>
  [...asks].sort((a, b) => a.answeredAtMs - b.answeredAtMs);
const byPlace = (asks: readonly Ask[]) =>
  [...asks].sort((a, b) => (a.batch?.place ?? 0) - (b.batch?.place ?? 0));

// Questions --------------------------------------------------------------------------------------

/** An allow names the key of its question, also between the answers of a batch. */
function* ofQuestions({ asks }: History): Generator<Breach> {
  for (const { key, apiKeyId = key, words } of asks) {
    if (apiKeyId === key) continue;
    yield {
      rule: 'an answer is about its own question',
      words: `a question about ${key} got ${words}`,
    };
  }
}

// Faults -----------------------------------------------------------------------------------------

/** No call is allowed or denied, and every answer is in time. */
function* duringFaults({ asks, faults }: History): Generator<Breach> {
  for (const { words, fromMs, toMs, isTotal, answerWithinMs } of faults) {
    const sentDuring = asks.filter(({ sentAtMs }) => sentAtMs > fromMs && sentAtMs < toMs);
    const during = sentDuring.filter(({ answeredAtMs }) => answeredAtMs < toMs);
    const details = `${words}: ${tally(during)}`;
    if (isTotal && during.some(isAllowed))
      yield { rule: 'a fault never allows a call', words: details };
    if (isTotal && !during.every(isUncertain))
      yield { rule: 'a fault is not a denial', words: details };
    if (during.some(({ verdict }) => verdict === 'no_answer')) {
      yield { rule: 'a fault is answered in time', words: details };
    }
    const late = sentDuring.map(tookMs).filter((time) => time > answerWithinMs);
    if (late.length > 0) {
      yield {
        rule: 'a fault is answered in time',
        words:
          `${words}: ${late.length} of ${sentDuring.length} took more than ${answerWithinMs} ms, ` +
          `the slowest ${Math.round(Math.max(...late))} ms`,
      };
    }
  }
}

/** Without an outage, every question is answered. */
function* withoutFault({ asks, faults, losses }: History): Generator<Breach> {
  if (losses.length > 0) return;
  for (const ask of asks.filter(isUncertain)) {
    const isExcused = faults.some(
      ({ beginsAtMs, toMs, recoverWithinMs }) =>
        ask.answeredAtMs >= beginsAtMs && ask.answeredAtMs <= toMs + recoverWithinMs,
    );
    if (isExcused) continue;
    const last = faults.findLast(({ toMs }) => toMs < ask.answeredAtMs);
    if (last === undefined) {
      yield {
        rule: 'a fault does not affect others',
        words: `there was no outage, and there were ${tally(asks)}, the first of them ${ask.words}`,
      };
      return;
    }
    const lateMs = Math.round(ask.answeredAtMs - last.toMs);
    yield {
      rule: 'recovers in time',
      words: `${last.words}: ${lateMs} ms after it was over there was ${ask.words}`,
    };
  }
}

// Changes ----------------------------------------------------------------------------------------

/**
 * A change that was acknowledged before a question was sent applies to it. While a change is in
 * flight, both the old and the new state are correct. Without a change or a limit nothing is denied.
 */
function* ofChanges({ asks, changes, limits }: History): Generator<Breach> {
  const timelines = timelinesOf(changes);
  for (const ask of bySending(asks)) {
    if (isUncertain(ask) || ask.verdict === 'not_accepted') continue;
    if (isDeniedByKnownLimit(ask, limits)) continue;
    const states = timelines
      .filter(({ key }) => key === null || key === ask.key)
      .map((timeline) => timeline.during(ask));
    const isRight = isAllowed(ask)
      ? states.every((verdicts) => verdicts.has('allowed'))
      : states.some((verdicts) => verdicts.has(ask.verdict));
    if (isRight) continue;
    if (changes.length === 0) {
      yield {
        rule: 'a fault is not a denial',
        words: `there was no reason to deny, and there was ${ask.words}`,
      };
      continue;
    }
    const wanted = states.map((verdicts) => [...verdicts].join(' or ')).join(', ');
    yield {
      rule: 'a change applies from the next decision on',
      words: `a question sent after it must get ${wanted}, not ${ask.words}`,
    };
  }
}

interface Timeline {
  readonly key: string | null;
  /** The possible states while a question was in flight; call in the order of sending. */
  during(ask: Ask): ReadonlySet<Verdict>;
}

function timelinesOf(changes: readonly Change[]): Timeline[] {
  const byWhat = new Map<string, Change[]>();
  for (const change of changes) {
    byWhat.set(change.what, [...(byWhat.get(change.what) ?? []), change]);
  }
  return [...byWhat.values()].map((ofOne) => {
    const sorted = ofOne.sort((a, b) => a.sentAtMs - b.sentAtMs);
    let settled = 0; // how many changes were acknowledged before the question was sent
    return {
      key: sorted[0]?.key ?? null,
      during({ sentAtMs, answeredAtMs }) {
        while ((sorted[settled]?.answeredAtMs ?? Number.POSITIVE_INFINITY) < sentAtMs) settled += 1;
        const verdicts = new Set<Verdict>([sorted[settled - 1]?.becomes ?? 'allowed']);
        for (let next = settled; (sorted[next]?.sentAtMs ?? Infinity) <= answeredAtMs; next += 1) {
          verdicts.add(sorted[next]?.becomes ?? 'allowed');
        }
        return verdicts;
      },
    };
  });
}

// Limits -----------------------------------------------------------------------------------------

function byWindow({ asks }: History): Map<number, Ask[]> {
  const windows = new Map<number, Ask[]>();
  for (const ask of asks) {
    const ofWindow = windows.get(ask.window);
    if (ofWindow === undefined) windows.set(ask.window, [ask]);
    else ofWindow.push(ask);
  }
  return windows;
}

const exactRule = ({ losses }: History): Rule =>
  losses.length > 0 ? 'a loss hands nothing out again' : 'allows exactly what the limits leave';

const wordsOfLosses = ({ losses }: History) => losses.map(({ words }) => `${words}, `).join('');

/** No scope allows more calls than its limit. */
function* ofLimits(history: History, asks: readonly Ask[]): Generator<Breach> {
  const { limits, limitsLiftedAtMs } = history;
  const allowed = new Map<string, number>();
  for (const ask of asks) {
    if (isAllowed(ask) && ask.sentAtMs < limitsLiftedAtMs) count(allowed, ask, limits);
  }
  for (const [scope, { quota, ratePerMinute }] of [
    [PROJECT, limits.project] as const,
    ...Object.entries(limits.customers),
    ...Object.entries(limits.keys),
  ]) {
    const allowedInScope = allowed.get(scope) ?? 0;
    const most = Math.min(quota ?? Infinity, ratePerMinute ?? Infinity) + repeatedIn(history);
    if (allowedInScope <= most) continue;
    yield {
      rule: exactRule(history),
      words: `${wordsOfLosses(history)}a limit of ${most} allowed ${allowedInScope} calls of the scope ${scope}`,
    };
  }
}

const PROJECT = 'project';

/** The scopes that a call of a key is charged to, with their limits. */
function scopesOf(key: string, { project, keys, customers, customerOf }: Limits) {
  const customer = customerOf[key];
  const scopes: [name: string, limits: ScopeLimits][] = [
    [PROJECT, project],
    [key, keys[key] ?? NO_LIMITS],
  ];
  if (customer !== undefined) scopes.push([customer, customers[customer] ?? NO_LIMITS]);
  return scopes;
}

/** Whether only the project's limits are known of a call, so that its remaining counts are theirs. */
const isLimitedAlone = (key: string, { keys, customers, customerOf }: Limits) =>
  keys[key] === undefined && customers[customerOf[key] ?? ''] === undefined;

/** Counts a question in each scope that it is charged to. */
function count(charged: Map<string, number>, { key }: Ask, limits: Limits): void {
  for (const [scope] of scopesOf(key, limits)) charged.set(scope, (charged.get(scope) ?? 0) + 1);
}

/** {@link ofLimitDenials} judges a denial by a known limit. */
function isDeniedByKnownLimit({ verdict, key }: Ask, limits: Limits): boolean {
  const scopes = scopesOf(key, limits).map(([, ofScope]) => ofScope);
  if (verdict === 'quota_exceeded') return scopes.some(({ quota }) => quota !== null);
  if (verdict === 'rate_limited') return scopes.some((scope) => scope.ratePerMinute !== null);
  return false;
}

/** No call is denied while each limit has room, and the month is checked before the minute. */
function* ofLimitDenials(history: History, asks: readonly Ask[]): Generator<Breach> {
  const { limits } = history;
  const denials = byAnswer(asks.filter((ask) => isDeniedByKnownLimit(ask, limits)));
  const charges = bySending(asks.filter(mayBeCharged));
  const charged = new Map<string, number>();
  let sent = 0;
  for (const { key, verdict, answeredAtMs } of denials) {
    for (let ask = charges[sent]; ask && ask.sentAtMs < answeredAtMs; ask = charges[sent]) {
      count(charged, ask, limits);
      sent += 1;
    }
    const isFull = (scope: string, { quota, ratePerMinute }: ScopeLimits) => {
      const ofScope = charged.get(scope) ?? 0;
      if (verdict === 'quota_exceeded') return quota !== null && ofScope >= quota;
      const isFirst = ratePerMinute !== null && ratePerMinute < (quota ?? Infinity);
      return isFirst && ofScope >= ratePerMinute;
    };
    if (scopesOf(key, limits).some(([scope, ofScope]) => isFull(scope, ofScope))) continue;
    yield {
      rule: exactRule(history),
      words:
        `${wordsOfLosses(history)}denied as ${verdict} after at most ${charged.get(PROJECT) ?? 0} ` +
        `charges, where the limits are ${JSON.stringify(limits)}`,
    };
  }
}

/**
 * The remaining count of an allow implies the number of charges up to it: each number occurs once, is
 * at least the number of calls allowed before the question was sent, and at most the number of calls
 * that may have been charged before the answer. After a loss of counts, Runtimes that have seen
 * different counts report some numbers again.
 */
function* ofReportedCounts(
  history: History,
  asks: readonly Ask[],
  window: 'month' | 'minute',
): Generator<Breach> {
  const { limits, losses, faults } = history;
  if (losses.length > 0) return;
  if ((window === 'month' ? limits.project.quota : limits.project.ratePerMinute) === null) return;

  const allowed = asks.filter(isAllowed);
  const answered = allowed.map(({ answeredAtMs }) => answeredAtMs).sort((a, b) => a - b);
  const least = new Map<Ask, number>();
  let before = 0;
  for (const ask of bySending(allowed)) {
    while ((answered[before] ?? Infinity) < ask.sentAtMs) before += 1;
    least.set(ask, before + 1);
  }

  const mostLate =
    faults.length > 0 ? sumOf(faults.map((fault) => fault.mostLateCharges)) : Infinity;
  const tooMany: Rule = faults.length > 0 ? 'few charges run late' : 'a denial costs nothing';
  const charges = bySending(asks.filter(mayBeCharged));
  const keepsCounts = faults.every((fault) => fault.keepsCounts);
  const reported = new Set<number>();
  let sent = 0;
  let sentAndAllowed = 0;
  for (const ask of byAnswer(allowed)) {
    for (let other = charges[sent]; other && other.sentAtMs <= ask.answeredAtMs; ) {
      if (isAllowed(other)) sentAndAllowed += 1;
      sent += 1;
      other = charges[sent];
    }
    if (ask.limits === null || !isLimitedAlone(ask.key, limits)) continue;
    const count = reportedCharges(ask.limits, window);
    const details = `reported as charged in the ${window}: ${count}`;
    if (keepsCounts && reported.has(count)) {
      yield { rule: exactRule(history), words: `${details}, a second time` };
    } else if (keepsCounts && count < (least.get(ask) ?? 0)) {
      yield { rule: exactRule(history), words: `${details}, of at least ${least.get(ask)}` };
    } else if (count > sent) {
      yield { rule: tooMany, words: `${details}, of at most ${sent}` };
    } else if (count - sentAndAllowed > mostLate) {
      yield { rule: tooMany, words: `${details}, and ${sentAndAllowed} were allowed` };
    }
    reported.add(count);
  }
}

/**
 * The allowed calls of a batch report rising numbers of charges, in its order. A charge that has to
 * wait for a missing counter may come after its neighbours: only keys that were allowed before count,
 * and only where nothing was lost or late.
 */
function* ofBatches(history: History, asks: readonly Ask[]): Generator<Breach> {
  const { limits, losses, faults } = history;
  if (losses.length > 0 || faults.length > 0 || limits.project.quota === null) return;
  const allowed = asks.filter(isAllowed);
  const countedFromMs = new Map<string, number>();
  for (const { key, answeredAtMs } of byAnswer(allowed)) {
    if (!countedFromMs.has(key)) countedFromMs.set(key, answeredAtMs);
  }
  const latest = new Map<number, number>();
  for (const { batch, key, sentAtMs, limits: reported } of byPlace(allowed)) {
    if (batch === undefined || reported === null || !isLimitedAlone(key, limits)) continue;
    if ((countedFromMs.get(key) ?? Infinity) > sentAtMs) continue;
    const count = reportedCharges(reported, 'month');
    const before = latest.get(batch.id) ?? 0;
    if (count < before) {
      yield {
        rule: 'a batch is charged in its order',
        words: `question ${batch.place} was charge ${count}, and one before it charge ${before}`,
      };
    }
    latest.set(batch.id, count);
  }
}

const reportedCharges = (limits: NonNullable<Answer['limits']>, window: 'month' | 'minute') =>
  window === 'month'
    ? limits.monthlyQuota - limits.remainingThisMonth
    : limits.rateLimitPerMinute - limits.remainingThisMinute;

// Usage ------------------------------------------------------------------------------------------

/** Usage equals the answers; questions without an answer may be in it or not. */
function* ofUsage(history: History): Generator<Breach> {
  for (const { atMs, outcomes, months } of history.usage) {
    const asks = history.asks.filter(({ answeredAtMs }) => answeredAtMs <= atMs);
    const answered = new Map<Verdict, number>();
    for (const { verdict } of asks) answered.set(verdict, (answered.get(verdict) ?? 0) + 1);
    const allowedByWindow = new Map<number, number>();
    for (const { window } of asks.filter(isAllowed)) {
      allowedByWindow.set(window, (allowedByWindow.get(window) ?? 0) + 1);
    }

    const least = -forgottenIn(history);
    const most = asks.filter(isUncertain).length;
    const isRight = (counted: number, seen: number) =>
      counted - seen >= least && counted - seen <= most;
    const areOutcomesRight = Object.entries(outcomes).every(([outcome, counted]) =>
      isRight(counted, answered.get(outcome as Outcome) ?? 0),
    );
    const windows = new Set([...allowedByWindow.keys(), ...Object.keys(months).map(Number)]);
    const areMonthsRight = [...windows].every((window) =>
      isRight(months[window] ?? 0, allowedByWindow.get(window) ?? 0),
    );
    if (areOutcomesRight && areMonthsRight) continue;
    const counted = JSON.stringify({ outcomes, months });
    yield {
      rule: 'usage equals the allowed calls',
      words: `${wordsOfLosses(history)}there were ${tally(asks)}, but usage is ${counted}`,
    };
  }
}
