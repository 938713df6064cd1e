import { fileURLToPath } from 'node:url';
import { parsePathPattern, parsePolicyMethod } from '@ceiba/domain';
import { oneOf, type Pick, seeded } from '@ceiba/domain/test-support';
import { ceibaFileJsonSchema, readCeibaFile } from '@ceiba/manage';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const file = fileURLToPath(new URL('../../apps/cli/ceiba.schema.json', import.meta.url));

it('the committed JSON Schema of ceiba.yaml is that of apply; --update writes it', async () => {
  const text = `${JSON.stringify(ceibaFileJsonSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot(file);
});

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isValid = ajv.compile(ceibaFileJsonSchema());

const schemaAccepts = (yaml: string) => isValid(parse(yaml));
function applyAccepts(yaml: string): boolean {
  try {
    readCeibaFile('the file', yaml);
    return true;
  } catch {
    return false;
  }
}

const OWNER = 'owner: { email: ops@example.com }\n';
const project = (fields: string) => `${OWNER}projects: [{ name: reports, ${fields} }]`;
const plan = (fields: string) => `plans: [{ ${fields} }]`;
const LIMITS = 'activeKeyCap: 2, rateLimitPerMinute: 3, monthlyQuota: 5';

describe('the JSON Schema and apply', () => {
  it.each([
    'plans: []',
    'projects: []',
    OWNER,
    `${OWNER}projects: [{ name: reports }]`,
    plan(`name: Tiny, ${LIMITS}`),
    plan(`name: ' Tiny ', ${LIMITS}`),
    plan(`name: ${'x'.repeat(100)}, ${LIMITS}`),
    plan('name: Zero, activeKeyCap: 0, rateLimitPerMinute: 0, monthlyQuota: 1000000000000'),
    project('subscription: {}'),
    project('subscription: { plan: Tiny, status: past_due, currentPeriodEnd: null }'),
    project("subscription: { currentPeriodEnd: '2099-01-31T12:00:00.5+02:00' }"),
    project('defaultKeyRateLimitPerMinute: null'),
    project('keyPrefix: acme_live_'),
    plan(`name: Daily, ${LIMITS}, dailyQuota: 1000000000000`),
    project('customerPlans: []'),
    project('customerPlans: [{ name: Pro }]'),
    project('customerPlans: [{ name: Pro, activeKeyCap: null, dailyQuota: 5, scopes: [] }]'),
    project('policies: [{ method: GET, pathPattern: /, scopes: null, cost: null }]'),
    project("policies: [{ method: GET, pathPattern: /, scopes: ['a:b.c_d-e', '0'], cost: 0 }]"),
    project('policies: []'),
    project("policies: [{ method: '*', pathPattern: '*' }]"),
    project('policies: [{ method: M-SEARCH, pathPattern: /v1/* }]'),
  ])('both accept: %s', (yaml) => {
    expect({ schema: schemaAccepts(yaml), apply: applyAccepts(yaml) }).toEqual({
      schema: true,
      apply: true,
    });
  });

  it.each([
    '[]',
    'plans: null',
    'plan: []',
    'projects: [{ name: reports }]',
    'owner: ops@example.com',
    'owner: { email: ops }',
    'owner: {}',
    plan('name: Tiny'),
    plan(`name: '', ${LIMITS}`),
    plan(`name: ' ', ${LIMITS}`),
    plan(`name: 7, ${LIMITS}`),
    plan(`name: "a\\u0007b", ${LIMITS}`),
    plan(`name: ${'x'.repeat(101)}, ${LIMITS}`),
    plan(`name: Tiny, ${LIMITS}, price: 3`),
    plan('name: Tiny, activeKeyCap: -1, rateLimitPerMinute: 3, monthlyQuota: 5'),
    plan('name: Tiny, activeKeyCap: 1.5, rateLimitPerMinute: 3, monthlyQuota: 5'),
    plan('name: Tiny, activeKeyCap: 2147483648, rateLimitPerMinute: 3, monthlyQuota: 5'),
    plan('name: Tiny, activeKeyCap: many, rateLimitPerMinute: 3, monthlyQuota: 5'),
    `${OWNER}projects: [{ policies: [] }]`,
    project('polices: []'),
    project('policies: null'),
    project('subscription: null'),
    project('subscription: { status: aktive }'),
    project("subscription: { currentPeriodEnd: '2099-01-31' }"),
    project("subscription: { currentPeriodEnd: '2099-02-30T12:00:00Z' }"),
    project('policies: [{ method: get, pathPattern: /v1 }]'),
    project('policies: [{ method: GET, pathPattern: v1 }]'),
    project('policies: [{ method: GET }]'),
    project('policies: [{ method: GET, pathPattern: /v1/*/x }]'),
    project('policies: [{ method: GET, pathPattern: /, cost: 1000001 }]'),
    project('policies: [{ method: GET, pathPattern: /, cost: 1.5 }]'),
    project('policies: [{ method: GET, pathPattern: /, scopes: read }]'),
    project('policies: [{ method: GET, pathPattern: /, scopes: [Read] }]'),
    project("policies: [{ method: GET, pathPattern: /, scopes: [''] }]"),
    project(`policies: [{ method: GET, pathPattern: /, scopes: [a${'x'.repeat(64)}] }]`),
    project(`policies: [{ method: GET, pathPattern: /, scopes: [${Array(65).fill('a')}] }]`),
    project('customerPlans: [{ scopes: [] }]'),
    project('customerPlans: [{ name: Pro, dailyQuota: 1000000000001 }]'),
    project('customerPlans: [{ name: Pro, price: 3 }]'),
    project('keyPrefix: acme'),
    project('keyPrefix: ceiba_token_'),
  ])('both refuse: %s', (yaml) => {
    expect({ schema: schemaAccepts(yaml), apply: applyAccepts(yaml) }).toEqual({
      schema: false,
      apply: false,
    });
  });

  it.each([
    `projects: [{ name: a }, { name: a }]\n${OWNER}`,
    project('customerPlans: [{ name: a }, { name: a }]'),
    project('policies: [{ method: GET, pathPattern: /a }, { method: GET, pathPattern: /a/ }]'),
    project("subscription: { currentPeriodEnd: '0099-01-31T12:00:00Z' }"),
    project("policies: [{ method: GET, pathPattern: '/%C0%AF' }]"),
  ])('only apply finds: %s', (yaml) => {
    expect({ schema: schemaAccepts(yaml), apply: applyAccepts(yaml) }).toEqual({
      schema: true,
      apply: false,
    });
  });

  const PIECES = [
    '/',
    '.',
    '*',
    '%',
    '2',
    'e',
    'F',
    '5',
    '7',
    'a',
    'Z',
    '-',
    '?',
    '#',
    ';',
    '\\',
    ' ',
  ];
  const RARE = ['/%2e', '/..', '/.*', '%7E', '%41', '%2f', '\n', '\0', 'é', '😀', '::', '~'];
  const textOf = (pick: Pick, length: number) =>
    Array.from({ length: pick(length) }, () => oneOf(pick, pick(4) === 0 ? RARE : PIECES)).join('');
  const accepts = (policy: object) =>
    isValid({ owner: { email: 'a@b.example' }, projects: [{ name: 'a', policies: [policy] }] });

  it('agree on every path pattern without escapes of characters outside ASCII', () => {
    const pick = seeded(11);
    let accepted = 0;
    for (let round = 0; round < 50_000; round += 1) {
      const pathPattern = `${pick(8) === 0 ? '' : '/'}${textOf(pick, 6)}`;
      const { ok } = parsePathPattern(pathPattern);
      if (ok) accepted += 1;
      if (/%[89a-f]/i.test(pathPattern)) continue;
      expect([pathPattern, accepts({ method: 'GET', pathPattern })]).toEqual([pathPattern, ok]);
    }
    expect(accepted).toBeGreaterThan(5_000);
  });

  it('agree on every method of one character, and on its length', () => {
    const characters = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));
    for (const method of [...characters, '', 'X'.repeat(64), 'X'.repeat(65), '**', 'gET', 'A\n']) {
      const { ok } = parsePolicyMethod(method);
      expect([method, accepts({ method, pathPattern: '/' })]).toEqual([method, ok]);
    }
  });
});
