import type { Machine } from '../machine.ts';

let entered: Machine | undefined;

/** Sets the simulated machine of the program. */
export function enter(machine: Machine): void {
  entered = machine;
}

export function machine(): Machine {
  if (entered === undefined) throw new Error('the program runs outside of a simulation');
  return entered;
}

export const processOf = (url: string) => machine().processNamed(new URL(url).hostname);
