import type { AccessEvent } from './access-options.ts';
import type { AuthorizeClient, AuthorizeInput, Decision } from './types.ts';
import { warn } from './warn.ts';

/** A question that a guard has asked about a request, and its answer. */
export interface AskedQuestion {
  readonly client: AuthorizeClient;
  readonly input: AuthorizeInput;
  /** Pending while the question is in flight; rejected when there was no verdict. */
  readonly decision: Promise<Decision>;
  /** The `onDecision` of every guard that has reported it. */
  readonly reportedTo: Set<(event: AccessEvent) => unknown>;
}

/*
 * A process may load the package as an ES module and as CommonJS. The two copies share one table, so
 * that a guard of each asks once as well.
 */
const TABLE = Symbol.for('ceiba.verdicts.1');
const existing: WeakMap<object, AskedQuestion[]> | undefined = Reflect.get(globalThis, TABLE);
const verdicts = existing ?? new WeakMap<object, AskedQuestion[]>();
Reflect.set(globalThis, TABLE, verdicts);

/**
 * Asks once per request, client and question (key, method, path). Another guard that the request passes
 * gets the same answer, also while the first question is in flight, so one request is charged once. A
 * failure is an answer too: its question may have been charged (docs/adr/0048). So the cost that the first
 * guard gives is the request's.
 *
 * @param carriers the objects that stand for the request. One that an earlier guard was given is enough.
 */
export function askOnce(
  carriers: readonly object[],
  client: AuthorizeClient,
  input: AuthorizeInput,
  ask: () => Promise<Decision>,
): AskedQuestion {
  const known = carriers.map((carrier) => verdicts.get(carrier)).find((asked) => asked);
  const asked = known ?? [];
  for (const carrier of carriers) verdicts.set(carrier, asked);
  const earlier = asked.find((other) => other.client === client && isSame(other.input, input));
  if (earlier) {
    if (earlier.input.cost !== input.cost) warnOfCost();
    return earlier;
  }
  const question = { client, input, decision: ask(), reportedTo: new Set<never>() };
  asked.push(question);
  return question;
}

let hasWarned = false;

/** It was charged, and no request is charged twice. */
function warnOfCost(): void {
  if (hasWarned) return;
  hasWarned = true;
  warn(
    'A request passed two guards with different costs; the cost of the first one counts',
    'Give all guards of a route the same cost, or set the cost on the policy.',
  );
}

function isSame(one: AuthorizeInput, other: AuthorizeInput): boolean {
  return one.apiKey === other.apiKey && one.method === other.method && one.path === other.path;
}
