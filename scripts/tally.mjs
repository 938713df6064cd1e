import { stripVTControlCharacters } from 'node:util';

/**
 * The result of a part of the tests.
 *
 * @typedef {object} Tally
 * @property {number} passed
 * @property {number} skipped
 * @property {string[]} failures The names of the tests that failed, and the first line of each error.
 * @property {{ file: string, seconds: number }[]} files How long each file took.
 */

/** @returns {Tally} */
export function noTests() {
  return { passed: 0, skipped: 0, failures: [], files: [] };
}

/** @param {string} failure @returns {Tally} */
export function failed(failure) {
  return { ...noTests(), failures: [failure] };
}

/** @param {Tally[]} tallies @returns {Tally} */
export function sum(tallies) {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
    failures: tallies.flatMap(({ failures }) => failures),
    files: tallies.flatMap(({ files }) => files),
  };
}

/** @param {Tally} tally @returns {string} `3 passed, 1 failed`, and how many were skipped. */
export function lineOf({ passed, failures, skipped }) {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @param {Tally} tally @param {number} count @returns {Tally['files']} The slowest first. */
export function slowest({ files }, count) {
  return files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
}

/** @param {string} name @param {string} [error] @returns {string} */
export function failureOf(name, error = '') {
  const [line = ''] = stripVTControlCharacters(error).trim().split('\n');
  return line === '' ? name : `${name}\n    ${line.slice(0, 300)}`;
}
