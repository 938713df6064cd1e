import type { Outcome } from '@ceiba/contract/sets';
import { type Answer, tally, tookMs, type Verdict } from './caller.ts';
import { type Rule, Violation } from './violation.ts';

/**
 * What happened to one project, as its callers and Postgres saw it. A proof writes down what it
 * does and what it gets; {@link judge} knows the rules. All times are readings of one clock, in ms.
 */
export interface History {
  readonly limits: Limits;
  readonly asks: Ask[];
  readonly changes: Change[];
  readonly faults: Fault[];
  readonly losses: Loss[];
  /** What Postgres holds once every Runtime has stopped or has flushed. */
  readonly usage: UsageReading[];
  /** From then on no limit applies: what is asked later only shows what was charged. */
  limitsLiftedAtMs: number;
}

/** Limits that are known, of the project and of its keys by id; unknown ones are not judged. */
export interface Limits {
  readonly project: ScopeLimits;
  readonly keys: Readonly<Record<string, ScopeLimits>>;
}

export interface ScopeLimits {
  readonly quota: number | null;
  /** Only of a history that lies within one minute. */
  readonly ratePerMinute: number | null;
}

export interface Ask extends Answer {
  readonly key: string;
  /** Names the month that the question is counted in. */
  readonly window: number;
}

/** Something that decides over admission, changed by anyone in any way. */
export interface Change {
  /** What is changed, such as a key or the policies: each is judged by its own last change. */
  readonly what: string;
  /** Null where it is of every key. */
  readonly key: string | null;
  readonly sentAtMs: number;
  /** When it was acknowledged. */
  readonly answeredAtMs: number;
  readonly becomes: Verdict;
}

/** A dependency was away or slow; no data was lost. */
export interface Fault {
  readonly words: string;
  /** When it began to strike, had struck, and began to heal. */
  readonly strikesAtMs: number;
  readonly fromMs: number;
  readonly toMs: number;
  /** Whether no decision can be made while it lasts. */
  readonly isTotal: boolean;
  /** Whether what was answered is still counted after it. */
  readonly keepsCounts: boolean;
  /** Infinity where the machine was too busy to judge it. */
  readonly answerWithinMs: number;
  readonly recoverWithinMs: number;
  readonly mostLateCharges: number;
}

/** Counts were lost or held up. After it any call may have been answered 503. */
export interface Loss {
  readonly words: string;
  /** Admissions that it may take, by the words of the promise. */
  readonly forgets: number;
  /** Admissions that may be made again though usage keeps them; default: none. */
  readonly repeats?: number;
}

export interface UsageReading {
  /** When it was read; nothing was being asked. */
  readonly atMs: number;
  /** Decisions by what they came to; only the named ones are judged. */
  readonly outcomes: Partial<Record<Outcome, number>>;
  /** Admissions by window. */
  readonly months: Readonly<Record<number, number>>;
}

const NO_LIMITS: ScopeLimits = { quota: null, ratePerMinute: null };

export const openHistory = (limits: Partial<Limits> = {}): History => ({
  limits: { project: NO_LIMITS, keys: {}, ...limits },
  asks: [],
  changes: [],
  faults: [],
  losses: [],
  usage: [],
  limitsLiftedAtMs: Number.POSITIVE_INFINITY,
});

/**
 * Judges a history by every rule. Linear in its operations, once they are sorted.
 *
 * @param words Say which history it is.
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
  yield* duringFaults(history);
  yield* withoutFault(history);
  yield* ofChanges(history);
  for (const asks of byWindow(history).values()) {
    yield* ofLimits(history, asks);
    yield* ofRefusals(history, asks);
    yield* ofToldCounts(history, asks, 'month');
    yield* ofToldCounts(history, asks, 'minute');
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

// Faults -----------------------------------------------------------------------------------------

/** Nothing is admitted, nothing is blamed on the caller, and every answer comes in time. */
function* duringFaults({ asks, faults }: History): Generator<Breach> {
  for (const { words, fromMs, toMs, isTotal, answerWithinMs } of faults) {
    const sentDuring = asks.filter(({ sentAtMs }) => sentAtMs > fromMs && sentAtMs < toMs);
    const during = sentDuring.filter(({ answeredAtMs }) => answeredAtMs < toMs);
    const details = `${words}: ${tally(during)}`;
    if (isTotal && during.some(isAllowed)) yield { rule: 'a fault never admits', words: details };
    if (isTotal && !during.every(isUncertain))
      yield { rule: 'a fault is no denial', words: details };
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

/** Where nothing is away, every question is answered. */
function* withoutFault({ asks, faults, losses }: History): Generator<Breach> {
  if (losses.length > 0) return;
  for (const ask of asks.filter(isUncertain)) {
    const isExcused = faults.some(
      ({ strikesAtMs, toMs, recoverWithinMs }) =>
        ask.answeredAtMs >= strikesAtMs && ask.answeredAtMs <= toMs + recoverWithinMs,
    );
    if (isExcused) continue;
    const last = faults.findLast(({ toMs }) => toMs < ask.answeredAtMs);
    if (last === undefined) {
      yield {
        rule: 'a fault leaves strangers alone',
        words: `nothing was away, and there were ${tally(asks)}, the first of them ${ask.words}`,
      };
      return;
    }
    const lateMs = Math.round(ask.answeredAtMs - last.toMs);
    yield {
      rule: 'recovers by itself in time',
      words: `${last.words}: ${lateMs} ms after it was over there was ${ask.words}`,
    };
  }
}

// Changes ----------------------------------------------------------------------------------------

/**
 * What was acknowledged before a question was sent holds for it. While a change is under way, both
 * what was and what will be are right. Without a change or a limit there is nothing to deny.
 */
function* ofChanges({ asks, changes, limits }: History): Generator<Breach> {
  const timelines = timelinesOf(changes);
  for (const ask of bySending(asks)) {
    if (isUncertain(ask) || ask.verdict === 'not_accepted') continue;
    if (isJudgedAsRefusal(ask, limits)) continue;
    const states = timelines
      .filter(({ key }) => key === null || key === ask.key)
      .map((timeline) => timeline.during(ask));
    const isRight = isAllowed(ask)
      ? states.every((verdicts) => verdicts.has('allowed'))
      : states.some((verdicts) => verdicts.has(ask.verdict));
    if (isRight) continue;
    if (changes.length === 0) {
      yield { rule: 'a fault is no denial', words: `nothing was denied to it: ${ask.words}` };
      continue;
    }
    const wanted = states.map((verdicts) => [...verdicts].join(' or ')).join(', ');
    yield {
      rule: 'a change holds from the next decision on',
      words: `a question sent after it must come to ${wanted}, not to ${ask.words}`,
    };
  }
}

interface Timeline {
  readonly key: string | null;
  /** What the thing may have been while a question was under way; ask in the order of sending. */
  during(ask: Ask): ReadonlySet<Verdict>;
}

function timelinesOf(changes: readonly Change[]): Timeline[] {
  const byWhat = new Map<string, Change[]>();
  for (const change of changes) {
    byWhat.set(change.what, [...(byWhat.get(change.what) ?? []), change]);
  }
  return [...byWhat.values()].map((ofOne) => {
    const sorted = ofOne.sort((a, b) => a.sentAtMs - b.sentAtMs);
    let settled = 0; // how many were acknowledged before the question was sent
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
  losses.length > 0 ? 'a loss hands nothing out again' : 'admits exactly what the limits leave';

const wordsOfLosses = ({ losses }: History) => losses.map(({ words }) => `${words}, `).join('');

/** No more than the limit of each scope. */
function* ofLimits(history: History, asks: readonly Ask[]): Generator<Breach> {
  const { limits, limitsLiftedAtMs } = history;
  const admitted = new Map<string, number>();
  for (const ask of asks) {
    if (isAllowed(ask) && ask.sentAtMs < limitsLiftedAtMs) count(admitted, ask);
  }
  for (const [scope, { quota, ratePerMinute }] of [
    [PROJECT, limits.project] as const,
    ...Object.entries(limits.keys),
  ]) {
    const letIn = admitted.get(scope) ?? 0;
    const most = Math.min(quota ?? Infinity, ratePerMinute ?? Infinity) + repeatedIn(history);
    if (letIn <= most) continue;
    yield {
      rule: exactRule(history),
      words: `${wordsOfLosses(history)}a limit of ${most} let in ${letIn} of the scope ${scope}`,
    };
  }
}

const PROJECT = 'project';

/** Counts a question in each scope that it is charged to. */
function count(charged: Map<string, number>, { key }: Ask): void {
  for (const scope of [PROJECT, key]) charged.set(scope, (charged.get(scope) ?? 0) + 1);
}

/** A refusal by a limit that is known is judged by {@link ofRefusals}. */
function isJudgedAsRefusal({ verdict, key }: Ask, limits: Limits): boolean {
  const scopes = [limits.project, limits.keys[key] ?? NO_LIMITS];
  if (verdict === 'quota_exceeded') return scopes.some(({ quota }) => quota !== null);
  if (verdict === 'rate_limited') return scopes.some((scope) => scope.ratePerMinute !== null);
  return false;
}

/** Nobody is refused while there is room in each limit, and the month is judged before the minute. */
function* ofRefusals(history: History, asks: readonly Ask[]): Generator<Breach> {
  const { limits } = history;
  const refusals = byAnswer(asks.filter((ask) => isJudgedAsRefusal(ask, limits)));
  const charges = bySending(asks.filter(mayBeCharged));
  const charged = new Map<string, number>();
  let sent = 0;
  for (const { key, verdict, answeredAtMs } of refusals) {
    for (let ask = charges[sent]; ask && ask.sentAtMs < answeredAtMs; ask = charges[sent]) {
      count(charged, ask);
      sent += 1;
    }
    const isFull = (scope: string, { quota, ratePerMinute }: ScopeLimits) => {
      const ofScope = charged.get(scope) ?? 0;
      if (verdict === 'quota_exceeded') return quota !== null && ofScope >= quota;
      const isFirst = ratePerMinute !== null && ratePerMinute < (quota ?? Infinity);
      return isFirst && ofScope >= ratePerMinute;
    };
    if (isFull(PROJECT, limits.project) || isFull(key, limits.keys[key] ?? NO_LIMITS)) continue;
    yield {
      rule: exactRule(history),
      words:
        `${wordsOfLosses(history)}refused as ${verdict} after at most ${charged.get(PROJECT) ?? 0} ` +
        `charges, where the limits are ${JSON.stringify(limits)}`,
    };
  }
}

/**
 * What an allow tells as remaining tells how many were charged up to it: each number once, at least
 * what was admitted before it was sent, at most what may have been charged before it was answered.
 * Once counts are lost, Runtimes that have seen different numbers tell some of them again.
 */
function* ofToldCounts(
  history: History,
  asks: readonly Ask[],
  window: 'month' | 'minute',
): Generator<Breach> {
  const { limits, losses, faults } = history;
  if (losses.length > 0) return;
  if ((window === 'month' ? limits.project.quota : limits.project.ratePerMinute) === null) return;

  const admitted = asks.filter(isAllowed);
  const answered = admitted.map(({ answeredAtMs }) => answeredAtMs).sort((a, b) => a - b);
  const least = new Map<Ask, number>();
  let before = 0;
  for (const ask of bySending(admitted)) {
    while ((answered[before] ?? Infinity) < ask.sentAtMs) before += 1;
    least.set(ask, before + 1);
  }

  const mostLate =
    faults.length > 0 ? sumOf(faults.map((fault) => fault.mostLateCharges)) : Infinity;
  const tooMany: Rule =
    faults.length > 0 ? 'a thaw charges only a handful late' : 'a denial costs nothing';
  const charges = bySending(asks.filter(mayBeCharged));
  const keepsCounts = faults.every((fault) => fault.keepsCounts);
  const told = new Set<number>();
  let sent = 0;
  let sentAndAdmitted = 0;
  for (const ask of byAnswer(admitted)) {
    for (let other = charges[sent]; other && other.sentAtMs <= ask.answeredAtMs; ) {
      if (isAllowed(other)) sentAndAdmitted += 1;
      sent += 1;
      other = charges[sent];
    }
    if (ask.limits === null || limits.keys[ask.key] !== undefined) continue;
    const count = countTold(ask.limits, window);
    const details = `told as charged in the ${window}: ${count}`;
    if (keepsCounts && told.has(count)) {
      yield { rule: exactRule(history), words: `${details}, a second time` };
    } else if (keepsCounts && count < (least.get(ask) ?? 0)) {
      yield { rule: exactRule(history), words: `${details}, of at least ${least.get(ask)}` };
    } else if (count > sent) {
      yield { rule: tooMany, words: `${details}, of at most ${sent}` };
    } else if (count - sentAndAdmitted > mostLate) {
      yield { rule: tooMany, words: `${details}, and ${sentAndAdmitted} were admitted` };
    }
    told.add(count);
  }
}

const countTold = (limits: NonNullable<Answer['limits']>, window: 'month' | 'minute') =>
  window === 'month'
    ? limits.monthlyQuota - limits.remainingThisMonth
    : limits.rateLimitPerMinute - limits.remainingThisMinute;

// Usage ------------------------------------------------------------------------------------------

/** Usage is what was answered; what got no answer may be in it or not. */
function* ofUsage(history: History): Generator<Breach> {
  for (const { atMs, outcomes, months } of history.usage) {
    const asks = history.asks.filter(({ answeredAtMs }) => answeredAtMs <= atMs);
    const answered = new Map<Verdict, number>();
    for (const { verdict } of asks) answered.set(verdict, (answered.get(verdict) ?? 0) + 1);
    const admittedIn = new Map<number, number>();
    for (const { window } of asks.filter(isAllowed)) {
      admittedIn.set(window, (admittedIn.get(window) ?? 0) + 1);
    }

    const least = -forgottenIn(history);
    const most = asks.filter(isUncertain).length;
    const isRight = (counted: number, seen: number) =>
      counted - seen >= least && counted - seen <= most;
    const areOutcomesRight = Object.entries(outcomes).every(([outcome, counted]) =>
      isRight(counted, answered.get(outcome as Outcome) ?? 0),
    );
    const windows = new Set([...admittedIn.keys(), ...Object.keys(months).map(Number)]);
    const areMonthsRight = [...windows].every((window) =>
      isRight(months[window] ?? 0, admittedIn.get(window) ?? 0),
    );
    if (areOutcomesRight && areMonthsRight) continue;
    const counted = JSON.stringify({ outcomes, months });
    yield {
      rule: 'usage is what was admitted',
      words: `${wordsOfLosses(history)}there were ${tally(asks)}, but usage is ${counted}`,
    };
  }
}
