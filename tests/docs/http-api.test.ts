import {
  apiKeySummarySchema,
  authorizeRequestSchema,
  customerQuerySchema,
  customerSchema,
  customerUsageResultSchema,
  decisionQuerySchema,
  decisionSchema,
  loggedDecisionSchema,
} from '@ceiba/contract';
import { openApiDocument } from '@ceiba/contract/openapi';
import { DENIAL_REASONS, HTTP_STATUS_FOR_ERROR } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { readGuide } from '../support/guide.ts';

const { text } = readGuide('reference/http-api.md');
const PROJECT = '/rt/projects/{projectId}';

/** The words in code in a part of the guide. */
const codeIn = (part = '') => [...part.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
const sentence = (start: string) => text.slice(text.indexOf(start)).split('.')[0];
/** The rows of the table with a heading, without their heading. */
const rowsBelow = (heading: string) =>
  text
    .slice(text.indexOf(`| ${heading}`))
    .split('\n\n')[0]
    ?.split('\n')
    .slice(2) ?? [];

/** The examples of a language, with an ID in place of each one that is cut. */
const examples = (language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, code = '']) =>
    code.replaceAll(/"(?:019e)?…"/g, '"0199e0c0-0000-7000-8000-00000000d001"'),
  );

describe('the guide to the Runtime over HTTP', () => {
  it('has every route of the OpenAPI document, and no other', () => {
    const documented = Object.entries(openApiDocument().paths).flatMap(([path, operations]) =>
      Object.keys(operations)
        // The guide says that forward-auth takes every method.
        .filter((name) => name !== 'parameters' && (name === 'get' || !path.endsWith('-auth')))
        .map((name) => `${name.toUpperCase()} ${path}`),
    );
    const first = examples('http').map((example) => example.split('\n')[0] ?? '');
    const shown = [...first, ...codeIn(text)]
      .filter((code) => /^[A-Z]+ \/(?!v1)[^ …]+$/.test(code))
      .map((code) => code.replace(/ \/(api-keys|customers|usage|decisions)/, ` ${PROJECT}/$1`));
    expect([...new Set(shown)].sort()).toEqual(documented.sort());
  });

  it('shows a question and answers of the shape that the routes have', () => {
    const [question = ''] = examples('http').map((example) => example.split('\n\n')[1] ?? '');
    expect(authorizeRequestSchema.safeParse(JSON.parse(question)).error).toBeUndefined();
    const [allow = '', denial = '', , usage = '', logged = ''] = examples('json');
    expect(decisionSchema.parse(JSON.parse(allow)).allowed).toBe(true);
    expect(decisionSchema.parse(JSON.parse(denial)).allowed).toBe(false);
    expect(customerUsageResultSchema.safeParse(JSON.parse(usage)).error).toBeUndefined();
    expect(loggedDecisionSchema.safeParse(JSON.parse(logged)).error).toBeUndefined();
  });

  it('has the denial reasons in the order of the checks', () => {
    expect(codeIn(sentence('The checks run in this order'))).toEqual([...DENIAL_REASONS]);
  });

  it('has the fields of keys and customers, and the parameters of the log and of customers', () => {
    const ofKeys = codeIn(sentence('A key has the fields')?.replace(/\(.*?\)/, ''));
    expect(ofKeys).toEqual(Object.keys(apiKeySummarySchema.shape));
    const ofCustomers = rowsBelow('Field | Value').flatMap((row) => codeIn(row.split('|')[1]));
    expect(ofCustomers).toEqual(Object.keys(customerSchema.shape));
    const ofList = rowsBelow('Parameter of the list').flatMap((row) => codeIn(row.split('|')[1]));
    expect(ofList.sort()).toEqual(Object.keys(customerQuerySchema.shape).sort());
    const parameters = rowsBelow('Parameter of `GET /decisions`').flatMap((row) =>
      codeIn(row.split('|')[1]),
    );
    expect(parameters.sort()).toEqual(Object.keys(decisionQuerySchema.shape).sort());
  });

  it('has each error with its status', () => {
    const errors = rowsBelow('Status | `error`').map((row) => {
      const [, status, code] = /^\| (\d+) \| `(\w+)` \|/.exec(row) ?? [];
      return [code, Number(status)];
    });
    expect(Object.fromEntries(errors)).toEqual(HTTP_STATUS_FOR_ERROR);
  });
});
