import { z } from 'zod';
import type { Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { badInput, REFUSAL_CODES, Refusal } from './refusal.ts';

/* How an operation becomes a request and a refusal an answer, for both ends. */

/** Where the console serves the operations. */
export const MANAGE_PATH = '/api/manage';

const PLACEHOLDER = /\{(\w+)\}/g;

/** The fields of the input that the path has. */
export const pathFieldsOf = ({ path }: Pick<Operation, 'path'>): string[] =>
  [...path.matchAll(PLACEHOLDER)].map(([, name = '']) => name);

/** Where the fields are that the path does not have. */
export const placeOfFields = ({ method, text }: Pick<Operation, 'method' | 'text'>) =>
  method === 'GET' || text !== undefined ? 'query' : 'body';

export interface ManageRequest {
  readonly method: string;
  /** With its query, below the address of the console. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The request that runs an operation. @throws Refusal for an id that no address can hold */
export function requestFor(
  operation: Operation,
  input: Readonly<Record<string, unknown>>,
): ManageRequest {
  const { method, text } = operation;
  const inPath = new Set(pathFieldsOf(operation));
  const path = operation.path.replace(PLACEHOLDER, (_, name: string) =>
    segment(name, String(input[name])),
  );
  const rest = Object.entries(input).filter(
    ([name, value]) => !inPath.has(name) && name !== text && value !== undefined,
  );
  const at = `${MANAGE_PATH}${path}`;
  if (placeOfFields(operation) === 'body') {
    const headers = { 'content-type': 'application/json' };
    return { method, path: at, headers, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams(
    rest.map(([name, value]): [string, string] => [name, queryText(value)]),
  );
  const asked = { method, path: query.size === 0 ? at : `${at}?${query}` };
  if (text === undefined) return { ...asked, headers: {} };
  return { ...asked, headers: { 'content-type': 'application/yaml' }, body: String(input[text]) };
}

/** A browser and a server both read a dot alone as a folder. */
function segment(name: string, text: string): string {
  if (/^\.{0,2}$/.test(text)) throw badInput(`\`${name}\` "${text}" cannot be part of an address.`);
  return encodeURIComponent(text);
}

const queryText = (value: unknown) =>
  typeof value === 'boolean' ? String(Number(value)) : String(value);

/** The operation of an address; what other methods it has; or null for an address without one. */
export function findOperation(
  method: string,
  path: string,
): { operation: Operation; fields: Record<string, string> } | { allow: string[] } | null {
  const found = OPERATIONS.flatMap((operation: Operation) => {
    const fields = fieldsIn(operation, path);
    return fields === null ? [] : [{ operation, fields }];
  });
  if (found.length === 0) return null;
  const wanted = found.find(({ operation }) => operation.method === method);
  return wanted ?? { allow: found.map(({ operation }) => operation.method) };
}

function fieldsIn(operation: Operation, path: string): Record<string, string> | null {
  const names = pathFieldsOf(operation);
  const pattern = operation.path.replace(PLACEHOLDER, '([^/]+)');
  const values = new RegExp(`^${MANAGE_PATH}${pattern}$`).exec(path)?.slice(1);
  if (values === undefined) return null;
  try {
    const texts = values.map((value) => decodeURIComponent(value));
    return Object.fromEntries(names.map((name, index) => [name, texts[index] ?? '']));
  } catch {
    return null;
  }
}

/**
 * The input that a request gives, before the operation checks it.
 *
 * @throws Refusal for what is given twice or in the wrong place, and for a body that is not JSON
 */
export function inputOf(
  operation: Operation,
  { fields, query, body }: { fields: object; query: URLSearchParams; body: string },
): z.input<z.ZodObject> {
  const { text } = operation;
  const inQuery = queryFields(query);
  if (text !== undefined) return { ...only(inQuery, [text]), [text]: body };
  if (placeOfFields(operation) === 'query')
    return { ...only(inQuery, Object.keys(fields)), ...fields };
  only(inQuery, Object.keys(inQuery));
  return { ...only(objectIn(body), Object.keys(fields)), ...fields };
}

/** An empty parameter is one, since a script with an unset variable must not do more than was meant. */
function queryFields(query: URLSearchParams): Record<string, string> {
  const names = [...query.keys()];
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw badInput(`\`${twice}\` must not be given twice.`, { field: twice });
  return Object.fromEntries(query);
}

/** @throws Refusal for a field that has no place there */
function only<Fields extends object>(given: Fields, elsewhere: readonly string[]): Fields {
  const wrong = elsewhere.find((name) => Object.hasOwn(given, name));
  if (wrong === undefined) return given;
  throw badInput(`\`${wrong.slice(0, 64)}\` is not a field of this part of the request.`, {
    field: wrong.slice(0, 64),
  });
}

function objectIn(body: string): Record<string, unknown> {
  if (body.trim() === '') return {};
  const value = jsonIn(body);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw badInput('The body must be a JSON object.');
}

function jsonIn(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw badInput('The body must be JSON.');
  }
}

const ERRORS = {
  400: 'invalid_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
} as const satisfies Record<Refusal['status'], string>;

/** The body of the answer to a refusal. */
export const refusalBody = (refusal: Refusal, requestId: string) => ({
  error: refusal.code === 'plan_limit_reached' ? refusal.code : ERRORS[refusal.status],
  message: refusal.message,
  requestId,
  code: refusal.code,
  ...(refusal.field !== undefined && { field: refusal.field }),
  ...refusal.details,
});

const refusalSchema = z.object({
  message: z.string(),
  code: z.enum(REFUSAL_CODES),
  field: z.string().optional(),
  removals: z.array(z.string()).optional(),
  removalsDigest: z.string().optional(),
  project: z.string().optional(),
});

/** The refusal that an answer has; null for one that has none. */
export function refusalIn(status: number, body: unknown): Refusal | null {
  const { data } = refusalSchema.safeParse(body);
  const known = Object.keys(ERRORS).find(
    (each): each is `${Refusal['status']}` => Number(each) === status,
  );
  if (data === undefined || known === undefined) return null;
  const { message, code, field, ...details } = data;
  return new Refusal(message, { status: Number(known) as Refusal['status'], code, field, details });
}

/** Whether an answer is an output: who reads it ignores fields that it does not know. */
export function isOutput<Output extends z.ZodType>(
  output: Output,
  value: unknown,
): value is z.input<Output> {
  const { error } = output.safeParse(value);
  return error === undefined || error.issues.every(({ code }) => code === 'unrecognized_keys');
}
