/** A script with one small change. */
export interface LuaMutant {
  /** The line that changed, before and after; unique within the script. */
  name: string;
  text: string;
}

interface Token {
  kind: 'word' | 'number' | 'string' | 'sign';
  text: string;
  at: number;
}

interface Change {
  from: number;
  to: number;
  replacement: string;
}

const TOKEN =
  /(?<skipped>\s+|--\[\[[\s\S]*?\]\]|--[^\n]*|#!.*\n)|(?<word>[A-Za-z_]\w*)|(?<number>\d+(?:\.\d+)?(?:e\d+)?)|(?<string>'(?:\\.|[^'\\])*')|(?<sign>==|~=|<=|>=|\.\.|[-+*/%#<>=(){}[\];:,.])/y;

/** @throws Error at a token that this lexer does not know */
function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
    const groups = TOKEN.exec(text)?.groups;
    if (!groups) throw new Error(`no token of Lua: ${text.slice(at, at + 40)}`);
    for (const kind of ['word', 'number', 'string', 'sign'] as const) {
      const found = groups[kind];
      if (found !== undefined) tokens.push({ kind, text: found, at });
    }
  }
  return tokens;
}

/** The replacements of each sign or word. */
const SWAPS: Record<string, readonly string[]> = {
  '==': ['~='],
  '~=': ['=='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  and: ['or'],
  or: ['and'],
  not: [''],
  true: ['false'],
  false: ['true'],
};

/** The names that each name is easily confused with. */
const NEIGHBOURS: Record<string, readonly string[]> = {
  minuteCount: ['periodCount', 'minuteBase'],
  periodCount: ['minuteCount', 'periodBase'],
  minuteBase: ['periodBase', 'minuteCount'],
  periodBase: ['minuteBase', 'periodCount'],
  minuteCounts: ['periodCounts', 'minuteBases'],
  periodCounts: ['minuteCounts', 'periodBases'],
  minuteBases: ['periodBases', 'minuteCounts'],
  periodBases: ['minuteBases', 'periodCounts'],
  rate: ['quota'],
  quota: ['rate', 'cost'],
  cost: ['quota', 'rate'],
  start: ['number'],
  number: ['start'],
  minute: ['number'],
  seedPeriod: ['seed'],
  seed: ['seedPeriod'],
  epoch: ['lineage'],
  lineage: ['epoch'],
  freshId: ['incarnation'],
  incarnation: ['freshId'],
  count: ['seen', 'base'],
  base: ['count', 'seen'],
  seen: ['base', 'counter'],
  stored: ['minute', 'judgedBy'],
  judgedBy: ['stored', 'minute'],
};

/**
 * Every script that differs by one small change: another comparison, sum, number, text or name, `and`
 * for `or`, a condition that always or never holds or lost a part, the first or the last argument
 * instead of all, one write or assignment less, a loop before the loop that it follows.
 */
export function mutantsOf(file: string, text: string): LuaMutant[] {
  const tokens = tokensOf(text);
  const changes = [
    ...tokens.flatMap(swaps),
    ...tokens.flatMap((_, index) => callsOfMath(tokens, index)),
    ...tokens.flatMap((_, index) => conditions(text, tokens, index)),
    ...tokens.flatMap((_, index) => halves(tokens, index)),
    ...statements(text),
    ...loops(text),
  ];
  const mutants = new Map<string, LuaMutant>();
  const texts = new Set([text]);
  for (const change of changes) {
    const mutated = text.slice(0, change.from) + change.replacement + text.slice(change.to);
    if (texts.has(mutated)) continue;
    texts.add(mutated);
    const line = `${file}: ${nameOf(text, change)}`;
    let name = line;
    for (let again = 2; mutants.has(name); again++) name = `${line} (${again})`;
    mutants.set(name, { name, text: mutated });
  }
  return [...mutants.values()];
}

const replaced = ({ at, text }: Token, replacement: string): Change => ({
  from: at,
  to: at + text.length,
  replacement,
});

function swaps(token: Token): Change[] {
  const { kind, text } = token;
  if (kind === 'number') {
    const number = Number(text);
    return [`${number + 1}`, ...(number > 0 ? [`${number - 1}`] : [])].map((other) =>
      replaced(token, other),
    );
  }
  if (kind === 'string') return [replaced(token, text === "''" ? "'x'" : "''")];
  const others =
    kind === 'word' ? [...(SWAPS[text] ?? []), ...(NEIGHBOURS[text] ?? [])] : SWAPS[text];
  return (others ?? []).map((other) => replaced(token, other));
}

/** `math.max(a, b)` as `math.max(a)` and as `math.max(b)`; `math.floor(a)` as `(a)`. */
function callsOfMath(tokens: readonly Token[], index: number): Change[] {
  const [name, , what, open] = tokens.slice(index, index + 4);
  if (name?.text !== 'math' || what?.text === 'huge' || !open) return [];
  const close = closingOf(tokens, index + 3);
  const commas = commasWithin(tokens, index + 3, close);
  const end = tokens[close]?.at ?? 0;
  if (commas.length === 0) return [{ from: name.at, to: open.at, replacement: '' }];
  const starts = [open.at + 1, ...commas.map((comma) => comma + 1)];
  return starts.map((from, argument) => {
    const next = starts[argument + 1];
    return next === undefined
      ? { from: from - 1, to: end, replacement: '' }
      : { from, to: next, replacement: '' };
  });
}

/** `if a then` as `if true then` and `if false then`. */
function conditions(text: string, tokens: readonly Token[], index: number): Change[] {
  const token = tokens[index];
  if (token?.text !== 'if') return [];
  const then = tokens.slice(index).find((later) => later.text === 'then');
  if (!then) throw new Error(`an if without a then: ${text.slice(token.at, token.at + 40)}`);
  return ['true', 'false'].map((constant) => ({
    from: token.at + 2,
    to: then.at,
    replacement: ` ${constant} `,
  }));
}

const ENDS = new Set(['and', 'or', 'then', 'if', 'return', ',', ')', '(', '=', '{', '}']);

/** `a and b` as `a` and as `b`. */
function halves(tokens: readonly Token[], index: number): Change[] {
  const token = tokens[index];
  if (token?.text !== 'and' && token?.text !== 'or') return [];
  const before = reach(tokens, index, -1);
  const after = reach(tokens, index, 1);
  const startsAt = tokens[before]?.at ?? 0;
  const last = tokens[after];
  const next = tokens[index + 1];
  if (!last || !next) return [];
  return [
    { from: token.at, to: last.at + last.text.length, replacement: '' },
    { from: startsAt, to: next.at, replacement: '' },
  ];
}

/** The last token of the operand that begins next to `index`. */
function reach(tokens: readonly Token[], index: number, step: 1 | -1): number {
  const [opens, closes] = step === 1 ? ['([{', ')]}'] : [')]}', '([{'];
  let depth = 0;
  let at = index;
  for (;;) {
    const next = tokens[at + step];
    const current = tokens[at];
    if (!next || !current) return at;
    const isOpening = next.kind === 'sign' && opens?.includes(next.text);
    const isClosing = next.kind === 'sign' && closes?.includes(next.text);
    if (depth === 0 && (isClosing || (!isOpening && ENDS.has(next.text)))) return at;
    if (
      depth === 0 &&
      at !== index &&
      startsStatement(step === 1 ? current : next, step === 1 ? next : current)
    )
      return at;
    if (isOpening) depth += 1;
    if (isClosing) depth -= 1;
    at += step;
  }
}

/** Two adjacent operands: the second begins a statement. */
const startsStatement = (left: Token, right: Token) =>
  right.kind === 'word' &&
  right.text !== 'and' &&
  right.text !== 'or' &&
  left.text !== 'not' &&
  (left.kind !== 'sign' || ')]}'.includes(left.text));

/** Omits each line that is a complete assignment or call. */
function statements(text: string): Change[] {
  const changes: Change[] = [];
  const line =
    /^( *)(?!local |if |for |return|end|else|function|--)([\w.#[\] +,]+ = .*|[\w.]+\(.*\))$/gm;
  for (const match of text.matchAll(line)) {
    const from = match.index + (match[1] ?? '').length;
    changes.push({ from, to: match.index + match[0].length, replacement: '' });
  }
  return changes;
}

/** Two loops, one right after the other, in the other order. */
function loops(text: string): Change[] {
  const loop = String.raw`\1for .* do\n(?:(?!\1end\n).*\n)*\1end\n`;
  const pair = new RegExp(`^(?=( *)for)${loop}(?=(${loop}))`, 'gm');
  return [...text.matchAll(pair)].map(({ 0: first, 2: second = '', index: from }) => ({
    from,
    to: from + first.length + second.length,
    replacement: second + first,
  }));
}

function closingOf(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const { text, kind } = tokens[at] as Token;
    if (kind === 'sign' && '([{'.includes(text)) depth += 1;
    if (kind === 'sign' && ')]}'.includes(text)) depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('a bracket that is not closed');
}

/** The positions of the commas of a call, without those of nested calls. */
function commasWithin(tokens: readonly Token[], open: number, close: number): number[] {
  const commas: number[] = [];
  let depth = 0;
  for (let at = open; at < close; at++) {
    const { text, kind, at: place } = tokens[at] as Token;
    if (kind !== 'sign') continue;
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text)) depth -= 1;
    if (depth === 1 && text === ',') commas.push(place);
  }
  return commas;
}

/** The lines that a change touches, before and after, in one line. */
function nameOf(text: string, { from, to, replacement }: Change): string {
  const lineFrom = text.lastIndexOf('\n', from - 1) + 1;
  const lineTo = text.indexOf('\n', to) === -1 ? text.length : text.indexOf('\n', to);
  const before = text.slice(lineFrom, lineTo);
  const after = text.slice(lineFrom, from) + replacement + text.slice(to, lineTo);
  const tidy = (lines: string) => lines.replace(/\s+/g, ' ').trim();
  return `${tidy(before)} -> ${tidy(after)}`;
}
