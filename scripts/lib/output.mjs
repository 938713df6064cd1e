import { stripVTControlCharacters } from 'node:util';

import { LauncherError, messageOf } from './errors.mjs';

const decorated = process.stdout.isTTY === true && !process.env.NO_COLOR;

/** @param {number} code @returns {(text: string) => string} */
const style = (code) => (text) => (decorated ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = style(1);
export const dim = style(2);
export const red = style(31);
export const green = style(32);
export const cyan = style(36);

/** @param {string} [line] */
export function print(line = '') {
  process.stdout.write(`${line}\n`);
}

/** @param {number} startedAtMs A `performance.now()` reading. @returns {string} For people: `1.4 s`. */
export function durationSince(startedAtMs) {
  return `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
}

/**
 * Runs one piece of work and prints one line when it is done, with the time that it took.
 *
 * @template T
 * @param {string} label What is being done, then what was done: `Packages`, `Build`.
 * @param {() => Promise<T>} work
 * @param {(result: T) => string} [describe] A word about the result, printed beside the label.
 * @returns {Promise<T>}
 */
export async function step(label, work, describe = () => '') {
  const startedAtMs = performance.now();
  try {
    const result = await work();
    const detail = describe(result);
    const text = detail === '' ? label : `${label}  ${dim(detail)}`;
    const padding = ' '.repeat(Math.max(2, 56 - stripVTControlCharacters(text).length));
    print(`  ${green('✓')} ${text}${padding}${dim(durationSince(startedAtMs))}`);
    return result;
  } catch (error) {
    print(`  ${red('✗')} ${label}`);
    throw error;
  }
}

/** Prints why a command gave up: for a known cause the words alone, else the stack as well. */
/** @param {unknown} error */
export function printFailure(error) {
  print();
  if (!(error instanceof LauncherError)) {
    print(`  ${red(error instanceof Error ? (error.stack ?? error.message) : messageOf(error))}`);
    return;
  }
  print(`  ${red(error.message)}`);
  if (error.output) print(error.output.trimEnd().replace(/^/gm, `  ${dim('│')} `));
  if (error.hint) print(`  ${error.hint}`);
}
