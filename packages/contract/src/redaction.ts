/** What is removed, and what is shown instead. */
type Secret = readonly [pattern: RegExp, shown: string];

const NEXT = '(?!ceiba_|whsec_)';
const SECRETS: readonly Secret[] = [
  // Each ends where the next one begins, so that two side by side are both found.
  [
    new RegExp(
      `ceiba_(?:secret_|invite_|reset_|mail_|setup_|token_)?(?:${NEXT}[0-9A-Za-z]){9,}`,
      'g',
    ),
    'ceiba_[redacted]',
  ],
  [new RegExp(`whsec_(?:${NEXT}[0-9A-Za-z+/=]){9,}`, 'g'), 'whsec_[redacted]'],
  // A key of a project that chose another prefix; neither a digest of 40 nor of 64 digits.
  [
    new RegExp(
      `(?:(?<![0-9A-Za-z])${NEXT}[a-z](?:${NEXT}[a-z0-9_]){0,15})?_(?:${NEXT}[0-9A-Za-z]){45,63}(?=ceiba_|whsec_|[^0-9A-Za-z]|$)`,
      'g',
    ),
    '[redacted]',
  ],
  // The password of an address. It stops at a quote, so it never spans two fields of a JSON line.
  [/(?<=\/\/[^/\s:@"]*:)[^/\s@"]*(?=@)/g, '[redacted]'],
];

/**
 * An escape of an address, of JSON and scripts, or of HTML, also where its first character is escaped
 * again. All backslashes before it belong to it, so that no half of an escape is left.
 */
const ESCAPE_SOURCE = [
  String.raw`(?<utf8>(?:%[89a-f][\da-f])+)`,
  String.raw`%(?:25)*(?:u(?<percentU>[\da-f]{4})|(?<percent>[\da-f]{2}))`,
  String.raw`(?<!\\)\\+(?:u(?<slashU>[\da-f]{4})|u\{(?<braces>[\da-f]{1,6})\}|x(?<slashX>[\da-f]{2})|(?<space>[bfnrt])|(?=[^\Wux]))`,
  String.raw`&(?:amp;)*(?:(?:#x(?<htmlHex>[\da-f]{1,6})|#(?<html>\d{1,7}))(?:;|(?![%\\&\da-f]))|(?<name>amp|bsol|lowbar|num|percnt|UnderBar);)`,
].join('|');
const ESCAPE = new RegExp(ESCAPE_SOURCE, 'gi');
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  bsol: '\\',
  lowbar: '_',
  num: '#',
  percnt: '%',
  underbar: '_',
};

/** What is still escaped after so many rounds is no ordinary text, and may hide anything. */
const ROUNDS = 4;
/** Ends at a quote, so that it never spans two fields of a JSON line. */
const FIELD = new RegExp(
  String.raw`(?:${ESCAPE_SOURCE.replaceAll(/\?<\w+>/g, '?:')}|(?<!\\)\\+(?!["\\])|[^"\\])+`,
  'gi',
);

/** A shorter text is no credential, and may be an ordinary part of a path. */
const PRESENTED_LENGTH_MIN = 8;

/** A text, and where each of its characters begins in the original one; the last place is the end. */
interface Reading {
  readonly text: string;
  readonly places: readonly number[];
}

interface Found {
  readonly start: number;
  end: number;
  readonly shown: string;
}

/**
 * Replaces credentials and the passwords of addresses, wherever they are in a text: side by side,
 * within each other, and escaped as addresses, JSON, scripts and HTML escape, several times too. The
 * rest of the text stays as it is, and JSON stays JSON.
 *
 * @param presented A text to remove too: the credential that came with a call.
 */
export function withoutCredentials(text: string, presented = ''): string {
  const found: Found[] = [];
  let reading: Reading = { text, places: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    findText(presented, reading, found);
    find(SECRETS, reading, found);
    const decoded = decode(reading);
    if (decoded === null) return replaced(text, found);
    reading = decoded;
  }
  findText(presented, reading, found);
  find(SECRETS, reading, found);
  find([[FIELD, '[redacted]']], reading, found, (field) => field.search(ESCAPE) >= 0);
  return replaced(text, found);
}

/** Adds where a text is, whatever its length: a regular expression of a long one does not compile. */
function findText(presented: string, { text, places }: Reading, found: Found[]): void {
  if (presented.length < PRESENTED_LENGTH_MIN) return;
  const placeOf = (index: number) => places[index] ?? index;
  for (let at = text.indexOf(presented); at >= 0; at = text.indexOf(presented, at + 1)) {
    found.push({ start: placeOf(at), end: placeOf(at + presented.length), shown: '[redacted]' });
  }
}

/** Adds where each secret of the reading lies in the original text. */
function find(
  secrets: readonly Secret[],
  { text, places }: Reading,
  found: Found[],
  isSecret: (match: string) => boolean = () => true,
): void {
  const placeOf = (index: number) => places[index] ?? index;
  for (const [pattern, shown] of secrets) {
    for (const { 0: match, index } of text.matchAll(pattern)) {
      if (!isSecret(match)) continue;
      found.push({ start: placeOf(index), end: placeOf(index + match.length), shown });
    }
  }
}

/** The text with one level of escapes less; null where there is none. */
function decode({ text, places }: Reading): Reading | null {
  const parts: string[] = [];
  const from: number[] = [];
  const keep = (start: number, end: number) => {
    parts.push(text.slice(start, end));
    for (let index = start; index < end; index += 1) from.push(places[index] ?? index);
  };
  let end = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const plain = plainOf(match[0], match.groups ?? {});
    if (plain === match[0]) continue;
    keep(end, match.index);
    parts.push(plain);
    for (let unit = 0; unit < plain.length; unit += 1)
      from.push(places[match.index] ?? match.index);
    end = match.index + match[0].length;
  }
  if (end === 0) return null;
  keep(end, text.length);
  from.push(places[text.length] ?? text.length);
  return { text: parts.join(''), places: from };
}

type Groups = Readonly<Record<string, string | undefined>>;

/** What an escape stands for. */
function plainOf(whole: string, { utf8, percent, html, name, ...codes }: Groups): string {
  if (utf8 !== undefined) return plainUtf8(utf8);
  // A byte of UTF-8 whose percent sign was escaped is an escape itself.
  if (percent !== undefined && /^[89a-f]/i.test(percent)) return `%${percent}`;
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
  const hex =
    percent ?? codes.percentU ?? codes.slashU ?? codes.braces ?? codes.slashX ?? codes.htmlHex;
  if (codes.space !== undefined) return ' ';
  if (hex === undefined && html === undefined) return '';
  const code = hex === undefined ? Number(html) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Some decoders read two bytes as a character of ASCII, which UTF-8 forbids. */
function plainUtf8(escapes: string): string {
  try {
    return decodeURIComponent(escapes);
  } catch {
    return escapes.replace(/%c([01])%([89ab][\da-f])/gi, (_, high, low) =>
      String.fromCharCode((Number(high) << 6) | (Number.parseInt(low, 16) & 0x3f)),
    );
  }
}

/** What overlaps is replaced once; of two that begin and end together, the one found first is shown. */
function replaced(text: string, found: Found[]): string {
  if (found.length === 0) return text;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Found[] = [];
  for (const next of found) {
    const last = merged.at(-1);
    if (last !== undefined && next.start < last.end) last.end = Math.max(last.end, next.end);
    else merged.push({ ...next });
  }
  let kept = '';
  let end = 0;
  for (const each of merged) {
    kept += text.slice(end, each.start) + each.shown;
    end = each.end;
  }
  return kept + text.slice(end);
}
