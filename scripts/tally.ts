import { stripVTControlCharacters } from 'node:util';

/** The result of a part of the tests. */
export interface Tally {
  passed: number;
  skipped: number;
  /** The names of the tests that failed, and the first lines of each error. */
  failures: string[];
  /** How long each file took. */
  files: { file: string; seconds: number }[];
}

export function noTests(): Tally {
  return { passed: 0, skipped: 0, failures: [], files: [] };
}

export function failed(failure: string): Tally {
  return { ...noTests(), failures: [failure] };
}

export function sum(tallies: Tally[]): Tally {
  return {
    passed: tallies.reduce((total, { passed }) => total + passed, 0),
    skipped: tallies.reduce((total, { skipped }) => total + skipped, 0),
    failures: tallies.flatMap(({ failures }) => failures),
    files: tallies.flatMap(({ files }) => files),
  };
}

/** @returns `3 passed, 1 failed`, and how many were skipped. */
export function lineOf({ passed, failures, skipped }: Tally): string {
  return `${passed} passed, ${failures.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** @returns The slowest first. */
export function slowest({ files }: Tally, count: number): Tally['files'] {
  return files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
}

/** How much of an error is shown where all failures are listed. */
const SHOWN = { lines: 40, characters: 3000 };

export function failureOf(name: string, error = ''): string {
  const text = stripVTControlCharacters(error).trim().slice(0, SHOWN.characters);
  const lines = text === '' ? [] : text.split('\n').slice(0, SHOWN.lines);
  return [name, ...lines].join('\n    ');
}
