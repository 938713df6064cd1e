/**
 * Stops the launcher's children after the launcher ended, also when it was killed with -9.
 *
 * The launcher holds the other end of this program's standard input and writes the whole state
 * after each change, one JSON line: `{ "processes": ProcessRecord[], "paths": string[] }`. The pipe
 * ends when the launcher does. The watchdog then stops the processes of the last line in order and
 * removes the paths. A launcher that ends normally sends an empty state first.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { stopProcesses } from './processes.mjs';

// The terminal sends its signals to the whole session; only the launcher's end stops the watchdog.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGHUP', 'SIGTERM'])) {
  process.on(signal, () => {});
}

/** @type {{ processes: import('./processes.mjs').ProcessRecord[], paths: string[] }} */
let state = { processes: [], paths: [] };

for await (const line of createInterface({ input: process.stdin })) {
  try {
    state = JSON.parse(line);
  } catch {
    // The launcher's end cut the line off: the state before it remains valid.
  }
}
await stopProcesses(state.processes);
for (const path of state.paths) rmSync(path, { recursive: true, force: true });
