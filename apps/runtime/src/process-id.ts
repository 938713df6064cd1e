import { randomBytes } from 'node:crypto';

/** A random name of this process; letters and digits only. */
export const PROCESS_ID = randomBytes(10).toString('hex');

let lastId = 0;

/** Unique among all processes; letters and digits only. */
export function newId(): string {
  lastId += 1;
  return `${PROCESS_ID}x${lastId.toString(36)}`;
}
