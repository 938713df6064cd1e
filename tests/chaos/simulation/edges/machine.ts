import type { Machine } from '../machine.ts';

let entered: Machine | undefined;

/** Which world the program is in from now on. */
export function enter(machine: Machine): void {
  entered = machine;
}

export function machine(): Machine {
  if (entered === undefined) throw new Error('the program runs outside of a simulation');
  return entered;
}

export const processOf = (url: string) => machine().processNamed(new URL(url).hostname);
