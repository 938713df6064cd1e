import type { World } from './world.ts';

const CELLS = 30;
const number = new Intl.NumberFormat('en');

/** Shows how much of a long command is done, in one line of a terminal that is written again and again. */
export interface Progress {
  update(done: number): void;
  /** Removes the line, so that what is printed next has its place. */
  clear(): void;
}

/** @param what what is counted, such as "keys" */
export function progressOf({ stderr }: World, total: number, what: string): Progress {
  const write = (text: string) => {
    if (stderr.isTTY === true && total > 0) stderr.write(`\r${text}\u001b[K`);
  };
  return {
    update(done) {
      const filled = Math.round((done / total) * CELLS);
      const bar = `${'#'.repeat(filled)}${'.'.repeat(CELLS - filled)}`;
      write(`[${bar}] ${number.format(done)} of ${number.format(total)} ${what}`);
    },
    clear: () => write(''),
  };
}
