/** The rules that the proofs hold the Runtime to, each in its own word. */
export type Rule =
  | 'admits exactly what the limits leave'
  | 'a denial costs nothing'
  | 'usage is what was admitted'
  | 'a change holds from the next decision on'
  | 'a loss hands nothing out again'
  | 'a fault never admits'
  | 'a fault is no denial'
  | 'a fault is answered in time'
  | 'a fault leaves strangers alone'
  | 'a thaw charges only a handful late'
  | 'recovers by itself in time'
  | 'stops in order'
  | 'nothing is sent twice';

/** The Runtime broke a rule; anything else that is thrown is a fault of the proof. */
export class Violation extends Error {
  override readonly name = 'Violation';
  readonly rule: Rule;

  constructor(rule: Rule, words: string) {
    super(`${rule}: ${words}`);
    this.rule = rule;
  }
}

/** @throws Violation unless the condition holds */
export function hold(rule: Rule, condition: boolean, words: () => string): void {
  if (!condition) throw new Violation(rule, words());
}
