import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Words and phrases that the repository does not use, each with what to write instead. */
const REPLACEMENTS: Record<string, string> = {
  anew: 'again',
  besides: 'also, apart from',
  'but for': 'except',
  'catch (fault': 'catch (error',
  'client library': 'SDK',
  'complained of': 'reported',
  'for what it is worth': '(delete it)',
  'in silence': 'silently',
  "in one's turn": 'while holding the lock',
  lest: 'so that … not',
  likewise: 'also',
  mend: 'fix, repair',
  mended: 'fixed, repaired',
  mending: 'fixing, repairing',
  mends: 'fixes, repairs',
  nobody: 'no user, no caller, no process; or say what does not happen',
  'says so': 'say what it says',
  'request log': 'decision log',
  somebody: 'a user, a caller, another process',
  stands: 'is',
  'takes a turn': 'takes the lock',
  'takes turns': 'takes the lock',
  tell: 'report, say, show, distinguish',
  telling: 'reporting, saying, showing, distinguishing',
  tells: 'reports, says, shows, distinguishes',
  'the house': 'the repository, the stack',
  thereby: 'so',
  told: 'reported, given, notified',
  whence: 'from where, origin',
  whoever: 'a user who, the caller that',
  whom: 'name the actor',
  whomever: 'name the actor',
};

/** Uses that are right: to represent, to remain; the Unix user. */
const ALLOWED: readonly RegExp[] = [/^stands (?:for|in for|still)/i, /^nobody['`]/];

/** Not prose of ours to edit: generated files, migrations that have landed, licences. */
const NOT_OURS =
  /(?:^|\/)(?:package-lock\.json|LICENSE|__snapshots__\/.*)$|^drizzle\/|\.(?:png|ico|woff2)$|^tests\/static\/words\.test\.ts$/;

/** A space of a phrase also matches a line break with the comment prefix of the next line. */
const patternOf = (phrase: string) =>
  phrase
    .replaceAll(/[()]/g, String.raw`\$&`)
    .replaceAll(' ', String.raw`\s+(?:(?:\*|//|#|--)\s+)?`);

const ANY = new RegExp(
  `(?<!\\w)(?:${Object.keys(REPLACEMENTS).map(patternOf).join('|')})(?!\\w)`,
  'gi',
);

/** Every use in a text, as `line: the word, then what to write instead`. */
function usesIn(text: string): string[] {
  return [...text.matchAll(ANY)]
    .filter(({ index }) => !ALLOWED.some((allowed) => allowed.test(text.slice(index, index + 40))))
    .map(({ 0: found, index }) => {
      const phrase = found.toLowerCase().replaceAll(/\s+(?:(?:\*|\/\/|#|--)\s+)?/g, ' ');
      const line = text.slice(0, index).split('\n').length;
      return `${line}: "${phrase}", write: ${REPLACEMENTS[phrase]}`;
    });
}

describe('the words of the repository', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\0')
    .filter((path) => path !== '' && !NOT_OURS.test(path) && existsSync(`${root}${path}`));

  it('are the words that an engineer would search for', () => {
    const uses = files.flatMap((path) =>
      usesIn(readFileSync(`${root}${path}`, 'utf8')).map((use) => `${path}:${use}`),
    );
    expect(uses).toEqual([]);
  });

  it('name a constant that is a maximum or a minimum by its end: _MAX, _MIN', () => {
    const prefix = /\b(?:MOST|LONGEST|LARGEST|HIGHEST|FEWEST|SHORTEST|LEAST)_[A-Z_]+\b/g;
    const named = files
      .filter((path) => /^(?:apps|packages|scripts|bench|clients|tests)\//.test(path))
      .flatMap((path) => readFileSync(`${root}${path}`, 'utf8').match(prefix) ?? []);
    expect(named).toEqual([]);
  });

  it('are looked for in the whole repository', () => {
    expect(files.length).toBeGreaterThan(700);
  });
});

describe('a word of the list', () => {
  it.each(Object.entries(REPLACEMENTS))('"%s" is found, in any case', (phrase, instead) => {
    const text = `export const a = 1;\n// ${phrase.toUpperCase()} )`;
    expect(usesIn(text)).toEqual([`2: "${phrase}", write: ${instead}`]);
  });

  it('is found across the lines of a comment, and not inside another word', () => {
    expect(usesIn(' * It takes a\n * turn.')).toEqual(['1: "takes a turn", write: takes the lock']);
    expect(usesIn('commend retold lesta celestial')).toEqual([]);
  });

  it('is left alone in a use that is right', () => {
    expect(usesIn('`#x` stands for `src/x`')).toEqual([]);
  });
});
