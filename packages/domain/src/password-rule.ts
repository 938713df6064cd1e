import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from './constants.ts';

/** The estimate of a password that takes at least ten thousand million guesses. */
const STRONG_ENOUGH = 4;

/** Only so many characters are judged, because the time grows with the square of their number. */
const JUDGED_LENGTH = 64;

/** Texts that are guessed first here: the product, and the best-known example of a passphrase. */
const OBVIOUS_HERE = [
  'ceiba',
  'console',
  'correct horse battery staple',
  'correcthorsebatterystaple',
];

const ADVICE = 'choose a phrase only you would think of';

/** By the name of zxcvbn's warning: what is wrong, to complete "the password …". */
const REASONS: Record<string, string> = {
  straightRow: 'is a row of keys on the keyboard',
  keyPattern: 'is a pattern of keys on the keyboard',
  simpleRepeat: 'repeats one character',
  extendedRepeat: 'repeats itself',
  sequences: 'is a sequence such as “abc” or “123”',
  dates: 'is little more than a date',
  topTen: 'is among the first that attackers try',
  topHundred: 'is among the first that attackers try',
  common: 'is among the first that attackers try',
  similarToCommon: 'is close to one that attackers try first',
  userInputs: 'is made of your address or of a well-known example',
};

/**
 * Judges a new password as NIST SP 800-63B asks: by length and by how soon it is guessed, not by
 * kinds of characters. Takes up to 0.1 s.
 *
 * @param email the address of the account, whose parts are guessed early
 * @returns why the password is refused, to complete "the password …"; null when it is accepted
 */
export async function whyPasswordRefused(password: string, email = ''): Promise<string | null> {
  const length = [...password].length;
  if (length < PASSWORD_LENGTH_MIN) {
    return `must be at least ${PASSWORD_LENGTH_MIN} characters, this one is ${length}`;
  }
  if (length > PASSWORD_LENGTH_MAX) return `must be at most ${PASSWORD_LENGTH_MAX} characters`;
  const { score, feedback } = (await loadEstimator()).check(password, [
    ...OBVIOUS_HERE,
    ...partsOf(email),
  ]);
  if (score >= STRONG_ENOUGH) return null;
  return `${REASONS[feedback.warning ?? ''] ?? 'can be guessed'}: ${ADVICE}`;
}

/** The address, what is before the @, and its words. */
const partsOf = (email: string): string[] =>
  [email, ...email.split('@'), ...email.split(/[^\p{L}\p{N}]+/u)].filter((part) => part.length > 2);

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loads the dictionary on first use: most processes never judge a password. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  estimator ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory: Estimator }, { adjacencyGraphs, dictionary }]) =>
      new Estimator({ dictionary, graphs: adjacencyGraphs, maxLength: JUDGED_LENGTH }),
  );
  return estimator;
}
