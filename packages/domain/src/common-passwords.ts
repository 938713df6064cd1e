/**
 * Passwords that attackers try first. Those of twelve characters and more are made of a few common
 * words, repeated characters and runs of keys, so these parts are listed, not their countless
 * combinations (NIST SP 800-63B, section 5.1.1.2).
 */

/** The most frequent words in leaked passwords, in lower case. */
const WORDS = new Set(
  `abc abcd abc123 access account admin administrator alexander amanda andrea andrew angel anthony
  apple april arsenal ashley asdf asdfgh asdfghjkl august azerty babygirl bailey barcelona baseball
  basketball batman blink butterfly ceiba changeme charlie chelsea chocolate company computer console
  cookie daniel database david december default demo donald dragon facebook fall family football
  forever freedom friday friends george ginger google guest hannah harley hello hockey hunter iloveu
  iloveyou internet jennifer jessica jesus jordan joshua july june justin killer letmein letme
  liverpool login london love lovely loveme maggie manager march martin master matrix matthew
  michael michelle microsoft monday monkey mustang mypass mypassword naruto network nicole ninja
  november october office orange pass passw password passwort patrick pepper pokemon princess purple
  qazwsx qazwsxedc qwer qwert qwerty qwertyuiop qwertz qwertzuiop robert root samantha samsung
  saturday secret secure security september server service shadow silver soccer spring starwars
  summer sunday sunshine superman support system teacher temp temporary test tester testing thomas
  thunder tigger trustno tuesday update user username welcome whatever william windows winter
  wordpass yellow zaq zxcv zxcvbn zxcvbnm
  a and for i in is it me my new of on our the this to your you`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
const WORD_LENGTHS = [...new Set([...WORDS].map((word) => word.length))];

/** More words than this are a phrase of its own, even if each is common. */
const FEW_WORDS = 3;
/** Digits and marks that people add to words and runs. */
const MOST_ADDED = 8;
/** A text of this length that is repeated is no secret, whatever it is. */
const LONGEST_UNIT = 6;

/** Keys in the order of the keyboard, the alphabet and the digits, and the best known phrases. */
const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '0123456789'.repeat(3),
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
  '1234567890qwertyuiop',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  'qazwsxedcrfvtgbyhnujm',
  'zaq12wsxcde34rfvbgt56yhn',
  'a1b2c3d4e5f6g7h8',
  '31415926535897932384626433832795',
  'correcthorsebatterystaple',
  'opensesameopensesame',
].flatMap((run) => [run, [...run].reverse().join('')]);

/** Letters that are written as digits and marks, between two letters. */
const SUBSTITUTES: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Whether a password of any length is among those that are guessed first. */
export function isCommonPassword(password: string): boolean {
  const text = password.toLowerCase().replaceAll(/[\s._-]/g, '');
  return text === '' || isRun(text) || isRepetition(text) || isFewWords(text);
}

/** A run, with at most a few characters around it. Those may be the whole secret: `пароль очень 1`. */
const isRun = (text: string) => {
  const keys = text.replaceAll(/[^a-z0-9]/g, '');
  const added = [...text].length - keys.length;
  return keys !== '' && added <= MOST_ADDED && RUNS.some((run) => run.includes(keys));
};

/** One short text over and over, with the beginning of one more: `abc1abc1abc1`, `aaaaaaaaaaaa`. */
function isRepetition(text: string): boolean {
  const letters = [...text];
  return Array.from({ length: LONGEST_UNIT }, (_, index) => index + 1).some(
    (length) =>
      letters.length >= 2 * length &&
      letters.every((letter, index) => letter === letters[index % length]),
  );
}

function isFewWords(text: string): boolean {
  const plain = text.replaceAll(/(?<=[a-z])[0134579@$!]+(?=[a-z])/g, (marks) =>
    [...marks].map((mark) => SUBSTITUTES[mark] ?? mark).join(''),
  );
  return [text, plain].some((spelling) => {
    const words = spelling.replaceAll(/[^a-z]+/g, '');
    const isAscii = /^[ -~]*$/.test(spelling);
    const added = spelling.length - words.length;
    return isAscii && words !== '' && added <= MOST_ADDED && countWords(words) <= FEW_WORDS;
  });
}

/** The fewest common words that a text consists of; infinite if there is another word in it. */
function countWords(text: string): number {
  const fewest = [0];
  for (let end = 1; end <= text.length; end += 1) {
    const counts = WORD_LENGTHS.filter((length) => length <= end)
      .filter((length) => WORDS.has(text.slice(end - length, end)))
      .map((length) => (fewest[end - length] ?? Number.POSITIVE_INFINITY) + 1);
    fewest.push(Math.min(...counts));
  }
  return fewest.at(-1) ?? 0;
}
