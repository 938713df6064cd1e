import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { z } from 'zod';
import { badInput } from '../errors.ts';
import { type Problem, problemsAcross } from './cross-checks.ts';
import { fieldName, offsetOf } from './positions.ts';
import { type CeibaFile, fileSchema } from './schema.ts';

/** A file that was checked, and where in it each field stands. */
export interface ReadFile {
  file: CeibaFile;
  /** The error that names every problem by its field and line. */
  refuse(problems: readonly Problem[]): Error;
}

/**
 * Reads the text of a Ceiba file, YAML 1.2 or JSON.
 *
 * @param name what to call the file in errors
 * @throws CliError that names every problem of the file, each by its field and line
 */
export function readCeibaFile(name: string, text: string): ReadFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const refuse = (problems: readonly Problem[]) => refusal(name, problems, document, lines);
  if (document.errors.length > 0) throw refuse(document.errors.map(yamlProblem));
  const raw = toPlain(name, document);
  if (raw === null) throw badInput(`${name} is empty.`);
  const result = fileSchema.safeParse(raw, { error: wordsFor });
  const problems = [
    ...(result.success ? [] : result.error.issues.flatMap(problemsOfIssue)),
    ...problemsAcross(raw),
  ];
  if (!result.success || problems.length > 0) throw refuse(problems);
  return { file: result.data, refuse };
}

function toPlain(name: string, document: Document): unknown {
  try {
    return document.toJS();
  } catch (fault) {
    // An alias that names no anchor, or aliases that multiply without end.
    throw badInput(`${name}: ${fault instanceof Error ? fault.message : String(fault)}`);
  }
}

const yamlProblem = (fault: YAMLError): Problem => ({
  path: [],
  offset: fault.pos[0],
  message:
    fault.code === 'BAD_ALIAS' ? "a value that starts with * needs quotes: '*'" : fault.message,
});

/** In the words of somebody who writes YAML, not of a type system. */
function wordsFor(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.input === undefined) return 'is missing';
  const expected = KIND[issue.expected] ?? issue.expected;
  if (issue.input === null) return `must be ${expected}, but nothing stands here`;
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

function refusal(
  name: string,
  problems: readonly Problem[],
  document: Document,
  lines: LineCounter,
): Error {
  const told = problems
    .map(({ path, message, offset }) => ({
      path,
      message,
      line: lines.linePos(offset ?? offsetOf(document, path)).line,
    }))
    .sort((a, b) => a.line - b.line)
    .map(({ path, message, line }) => `  ${fieldName(path)} (line ${line}): ${message}`);
  return badInput([`${name} is not right, so nothing was changed:`, ...told].join('\n'));
}
