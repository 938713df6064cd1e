/**
 * Writes src/generated/wire.ts from the OpenAPI document of the Runtime: the types of its answers, and
 * a parser of each.
 *
 *     node generate.mjs           writes the file
 *     node generate.mjs --check   exits with 1 if the file is not that of the document
 */
import { readFileSync, writeFileSync } from 'node:fs';

const at = (path) => new URL(path, import.meta.url);
const OUTPUT = at('src/generated/wire.ts');
const { schemas } = JSON.parse(readFileSync(at('../contract/openapi.json'), 'utf8')).components;

/** What the client reads; what these refer to comes along. */
const ROOTS = [
  'ApiKeySummary',
  'ApiKeyListResult',
  'ApiKeyCreateResult',
  'ApiKeyLifecycleResult',
  'Decision',
];

/**
 * Where the client accepts more than the Runtime promises: a newer one may deny for another reason,
 * and an incomplete denial is a denial.
 */
const TOLERATED = {
  'DenyDecision.denialReason': {
    type: 'DenialReason | (string & {})',
    parse: (value) => `text(${value})`,
  },
  'DenyDecision.decisionId': { type: 'string | null', parse: (value) => `text(${value}) ?? null` },
};
/** Fields without which an answer is valid, also where they are malformed. */
const DISPENSABLE = [
  'AllowDecision.resetAfterSeconds',
  'DenyDecision.limits',
  'DenyDecision.retryAfterSeconds',
  'DenyDecision.exceededLimit',
];

const HEAD = `/** What the Runtime answers. Written by generate.mjs from its OpenAPI document. */

import type { DenialReason } from '@ceiba/contract/sets';
import { count, fieldsOf, list, nullable, oneOf, text } from '../json.ts';

/*
 * Answers are parsed field by field, because a value that only resembles an allow must not become one
 * (docs/reference/consistency.md: fail closed). Unknown fields are ignored and dropped. A parser returns
 * undefined for a body of another shape.
 */`;

const nameOf = ({ $ref }) => $ref?.split('/').at(-1);
const variantsOf = ({ anyOf, oneOf, type, ...rest }) =>
  anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one) => ({ ...rest, type: one })) : undefined);
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const literalsOf = (schema) => ('const' in schema ? [schema.const] : schema.enum)?.map(literal);

/** The shapes that one consists of, and itself, each once. */
function withParts(name, found = new Set()) {
  if (found.has(name)) return found;
  for (const [, part] of JSON.stringify(schemas[name]).matchAll(
    /"#\/components\/schemas\/(\w+)"/g,
  )) {
    withParts(part, found);
  }
  return found.add(name);
}

function typeOf(schema) {
  const variants = variantsOf(schema);
  if (variants) return variants.map(typeOf).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`;
  const types = { string: 'string', integer: 'number', boolean: 'boolean', null: 'null' };
  return nameOf(schema) ?? literalsOf(schema)?.join(' | ') ?? types[schema.type];
}

/** The call that parses a value, which is an expression. */
function parseCall(schema, value) {
  const variants = variantsOf(schema);
  if (variants) {
    const [some, nothing] = variants;
    if (nothing?.type !== 'null') throw new Error(`no parser for ${JSON.stringify(schema)}`);
    return `nullable(${value}, ${parserOf(some)})`;
  }
  if (schema.type === 'array') return `list(${value}, ${parserOf(schema.items)})`;
  const literals = literalsOf(schema);
  return literals ? `oneOf(${[value, ...literals].join(', ')})` : `${parserOf(schema)}(${value})`;
}

function parserOf(schema) {
  const name = nameOf(schema);
  const parser = name ? `parse${name}` : { string: 'text', integer: 'count' }[schema.type];
  if (parser === undefined) throw new Error(`no parser for ${JSON.stringify(schema)}`);
  return parser;
}

function fieldsOf(shape) {
  const { properties, required = [] } = schemas[shape];
  return Object.entries(properties).map(([name, schema]) => {
    const path = `${shape}.${name}`;
    return {
      name,
      description: schema.description,
      isRequired: required.includes(name) && !DISPENSABLE.includes(path),
      isDispensable: DISPENSABLE.includes(path),
      type: TOLERATED[path]?.type ?? typeOf(schema),
      call: TOLERATED[path]?.parse(`fields?.${name}`) ?? parseCall(schema, `fields?.${name}`),
    };
  });
}

/**
 * Each variant names the fields of the others, because TypeScript does not narrow by
 * `!decision.allowed` where `strict` is off.
 */
function fieldsOfOthers(shape) {
  const siblings = Object.values(schemas)
    .map(({ oneOf = [] }) => oneOf.map(nameOf))
    .filter((names) => names.includes(shape))
    .flat();
  const names = siblings.flatMap((name) => Object.keys(schemas[name].properties));
  return [...new Set(names)].filter((name) => !(name in schemas[shape].properties));
}

const comment = (text, indent = '') => (text ? [`${indent}/** ${text} */`] : []);

function objectModule(shape) {
  const fields = fieldsOf(shape);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const optional = fields.filter(({ isRequired }) => !isRequired).map(({ name }) => name);
  // An optional one may be absent, and must be right where it is not.
  const strict = fields.filter(({ isRequired, isDispensable }) => !isRequired && !isDispensable);
  const missing = [
    ...required.map((name) => `${name} === undefined`),
    ...strict.map(({ name }) => `(${name} === undefined && fields?.${name} !== undefined)`),
  ].join(' ||\n    ');
  return [
    ...comment(schemas[shape].description),
    `export interface ${shape} {`,
    ...fields.flatMap(({ name, description, isRequired, type }) => [
      ...comment(description, '  '),
      `  readonly ${name}${isRequired ? '' : '?'}: ${type}${isRequired ? '' : ' | undefined'};`,
    ]),
    ...fieldsOfOthers(shape).map((name) => `  readonly ${name}?: undefined;`),
    '}',
    '',
    `export function parse${shape}(body: unknown): ${shape} | undefined {`,
    '  const fields = fieldsOf(body);',
    ...fields.map(({ name, call }) => `  const ${name} = ${call};`),
    `  if (\n    ${missing}\n  ) {`,
    '    return undefined;',
    '  }',
    '  return {',
    `    ${required.join(', ')},`,
    ...optional.map((name) => `    ...(${name} === undefined ? {} : { ${name} }),`),
    '  };',
    '}',
  ];
}

function unionModule(shape) {
  const names = schemas[shape].oneOf.map(nameOf);
  return [
    ...comment(schemas[shape].description),
    `export type ${shape} = ${names.join(' | ')};`,
    '',
    `export function parse${shape}(body: unknown): ${shape} | undefined {`,
    `  return ${names.map((name) => `parse${name}(body)`).join(' ?? ')};`,
    '}',
  ];
}

const shapes = new Set(ROOTS.flatMap((name) => [...withParts(name)]));
const parts = [...shapes].map((shape) =>
  (schemas[shape].oneOf ? unionModule(shape) : objectModule(shape)).join('\n'),
);
const generated = `${[HEAD, ...parts].join('\n\n')}\n`;

if (!process.argv.includes('--check')) {
  writeFileSync(OUTPUT, generated);
} else if (readFileSync(OUTPUT, 'utf8') !== generated) {
  console.error('src/generated/wire.ts is not that of the document: run node generate.mjs');
  process.exitCode = 1;
}
