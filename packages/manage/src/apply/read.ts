import {
  type Document,
  isNode,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type { z } from 'zod';
import { badInput } from '../refusal.ts';
import { crossFieldProblems, type Problem } from './cross-checks.ts';
import { fieldName, offsetOf } from './positions.ts';
import { type CeibaFile, fileSchema } from './schema.ts';

/** A valid file, and a way to report further problems at the positions of its fields. */
export interface CheckedFile {
  file: CeibaFile;
  /** Creates the error that reports every problem with its field and line. */
  errorFor(problems: readonly Problem[]): Error;
}

/** Twice what 10,000 policies with scopes and costs have. */
const PARTS_MAX = 1_000_000;
/** How many problems an error lists. */
const PROBLEMS_MAX = 100;

/**
 * Parses and validates the text of a Ceiba file, which is YAML 1.2 or JSON.
 *
 * @param name what to call the file in errors
 * @param partsMax how many values, commas and the like it may have: parsing takes time for each
 * @throws Refusal that reports every problem with its field and line
 */
export function readCeibaFile(name: string, text: string, partsMax = PARTS_MAX): CheckedFile {
  refuseMoreParts(name, text, partsMax);
  const lines = new LineCounter();
  // The parser would compare each key with all before it.
  const options = { uniqueKeys: false, lineCounter: lines, prettyErrors: false };
  const document = parseDocument(text, options);
  const errorFor = (problems: readonly Problem[]) => invalidFile(name, problems, document, lines);
  const unreadable = [...document.errors.map(yamlProblem), ...repeatedKeys(document)];
  if (unreadable.length > 0) throw errorFor(unreadable);
  const raw = toPlain(name, document);
  if (raw === null) throw badInput(`${name} is empty.`);
  const result = fileSchema.safeParse(raw, { error: messageFor });
  const problems = [
    ...(result.success ? [] : result.error.issues.flatMap(problemsOfIssue)),
    ...crossFieldProblems(raw),
  ];
  if (!result.success || problems.length > 0) throw errorFor(problems);
  return { file: result.data, errorFor };
}

function refuseMoreParts(name: string, text: string, partsMax: number): void {
  let parts = 0;
  for (const _ of new Lexer().lex(text)) {
    parts += 1;
    if (parts <= partsMax) continue;
    throw badInput(
      `${name} has more than ${partsMax.toLocaleString('en')} parts (values, commas and the like). Divide it.`,
    );
  }
}

function repeatedKeys(document: Document): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (seen.has(value) && isNode(key) && key.range) {
          problems.push({ path: [], offset: key.range[0], message: 'Map keys must be unique' });
        }
        seen.add(value);
      }
    },
  });
  return problems;
}

function toPlain(name: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // An alias has no anchor, or the aliases expand to too many values.
    throw badInput(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const yamlProblem = (error: YAMLError): Problem => ({
  path: [],
  offset: error.pos[0],
  message:
    error.code === 'BAD_ALIAS' ? "a value that starts with * needs quotes: '*'" : error.message,
});

/** Describes a missing value or a wrong type in the terms of YAML, not of a type system. */
function messageFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  const expected = KIND[issue.expected] ?? issue.expected;
  if (issue.input === null) return `must be ${expected}, but is empty`;
  const isUnquoted = issue.expected === 'string' && typeof issue.input !== 'object';
  return `must be ${expected}, not ${kindOf(issue.input)}${isUnquoted ? '; put it in quotes' : ''}`;
}

const KIND: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'a set of fields',
  string: 'text',
};

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return KIND[typeof value] ?? `the ${typeof value} ${String(value)}`;
}

function problemsOfIssue(issue: z.core.$ZodIssue): Problem[] {
  const { message } = issue;
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ path: [...issue.path, key], message }))
    : [{ path: issue.path, message }];
}

function invalidFile(
  name: string,
  problems: readonly Problem[],
  document: Document,
  lines: LineCounter,
): Error {
  const found = problems
    .map(({ path, message, offset }) => ({
      path,
      message,
      line: lines.linePos(offset ?? offsetOf(document, path)).line,
    }))
    .sort((a, b) => a.line - b.line);
  const list = found
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message, line }) => `  ${fieldName(path)} (line ${line}): ${message}`);
  const others = found.length - list.length;
  if (others > 0) list.push(`  and ${others} more`);
  return badInput([`${name} is invalid. Nothing was changed:`, ...list].join('\n'), {
    code: 'invalid_file',
    field: found[0] && fieldName(found[0].path),
  });
}
