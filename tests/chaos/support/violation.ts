/** The rules that the proofs check, by name. */
export type Rule =
  | 'allows exactly what the limits leave'
  | 'a denial costs nothing'
  | 'an answer is about its own question'
  | 'a batch is charged in its order'
  | 'usage equals the allowed calls'
  | 'a change applies from the next decision on'
  | 'a loss hands nothing out again'
  | 'a fault never allows a call'
  | 'a fault is not a denial'
  | 'a fault is answered in time'
  | 'a fault does not affect others'
  | 'few charges run late'
  | 'recovers in time'
  | 'stops gracefully'
  | 'nothing is sent twice'
  | 'strangers take nothing of a project';

/** The Runtime broke a rule; any other error is an error of the proof. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: Rule;

  constructor(rule: Rule, words: string) {
    super(`${rule}: ${words}`);
    this.rule = rule;
  }
}

/** @throws Violation unless the condition is true */
export function hold(rule: Rule, condition: boolean, words: () => string): void {
  if (!condition) throw new Violation(rule, words());
}
