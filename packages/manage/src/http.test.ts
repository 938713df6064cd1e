import { describe, expect, it, test } from 'vitest';
import {
  findOperation,
  inputOf,
  isOutput,
  MANAGE_PATH,
  refusalBody,
  refusalIn,
  requestFor,
} from './http.ts';
import { runOperation } from './operation.ts';
import { createKey, listApiKeys } from './operations/api-keys.ts';
import { createCustomerOnce, getCustomerByName, listCustomers } from './operations/customers.ts';
import { listDecisions } from './operations/decisions.ts';
import { apply, exportFile } from './operations/files.ts';
import { listProjects } from './operations/projects.ts';
import { conflict, Refusal } from './refusal.ts';

const projectId = '7b0e3c52-6d0f-4d8e-9a57-0c6f1f7a2b11';

/** What the other end reads of a request. */
function arrived(operation: Parameters<typeof requestFor>[0], input: Record<string, unknown>) {
  const { method, path, body = '' } = requestFor(operation, input);
  const { pathname, searchParams: query } = new URL(path, 'https://console.example');
  const found = findOperation(method, pathname);
  if (found === null || 'allow' in found) throw new Error('not found');
  const { fields } = found;
  return { name: found.operation.name, input: inputOf(found.operation, { fields, query, body }) };
}

describe('a request', () => {
  it('has an external id as it is', () => {
    for (const customer of ['a/b', '%2e', 'ä ö', 'a?b#c', '100%', '日本', '"', 'a+b']) {
      const input = { projectId, customer };
      expect(arrived(getCustomerByName, input)).toEqual({ name: 'getCustomer', input });
    }
  });

  test.each(['.', '..', ''])(
    'is refused for the id "%s", which no address can hold',
    (customer) => {
      expect(() => requestFor(getCustomerByName, { projectId, customer })).toThrow(Refusal);
    },
  );

  it('has the fields of a read in its query, and those of a change in its body', () => {
    const read = { projectId, search: 'a&b=c', limit: '7' };
    expect(arrived(listCustomers, { ...read, cursor: undefined }).input).toEqual(read);
    const created = { projectId, externalId: 'acme', metadata: { deep: [1, null] } };
    expect(arrived(createCustomerOnce, created).input).toEqual(created);
  });

  it('has a file as its body, byte by byte, and the rest in its query', () => {
    const file = 'plans: []\r\n# ä\n';
    const input = arrived(apply, { file, name: 'a & b.yaml', dryRun: true, prune: false }).input;
    expect(input).toEqual({ file, name: 'a & b.yaml', dryRun: '1', prune: '0' });
  });
});

describe('an address', () => {
  it('that is another one has no operation', () => {
    for (const path of [
      '',
      '/',
      '/nothing',
      '/projects/',
      '/projects/a/b',
      '/projects/%zz/usage',
    ]) {
      expect(findOperation('GET', `${MANAGE_PATH}${path}`), path).toBeNull();
    }
    expect(findOperation('GET', '/api/other/projects')).toBeNull();
  });

  it('has its methods, and names them for another one', () => {
    const path = `${MANAGE_PATH}/projects/${projectId}/api-keys`;
    expect(findOperation('DELETE', path)).toEqual({ allow: ['GET', 'POST'] });
  });
});

describe('an input', () => {
  const none = { fields: {}, query: new URLSearchParams(), body: '' };
  const queried = (text: string) => ({ ...none, query: new URLSearchParams(text) });

  it('has a parameter that is empty, and none that is given twice', () => {
    expect(inputOf(listDecisions, queried('customer='))).toEqual({ customer: '' });
    expect(() => inputOf(listProjects, queried('a=1&a='))).toThrow('`a` must not be given twice');
  });

  it('takes no field of the path from the body or the query', () => {
    const fields = { projectId };
    const body = JSON.stringify({ externalId: 'acme', projectId: 'another' });
    expect(() => inputOf(createCustomerOnce, { ...none, fields, body })).toThrow('`projectId`');
    expect(() => inputOf(listCustomers, { ...queried('projectId=b'), fields })).toThrow(
      '`projectId`',
    );
    expect(() => inputOf(apply, queried('file=x'))).toThrow('`file`');
  });

  it('takes no parameter of a query with a body', () => {
    const given = { ...queried('dryRun=1'), fields: { projectId }, body: '{}' };
    expect(() => inputOf(createCustomerOnce, given)).toThrow('`dryRun`');
  });
});

test.each([
  [createKey, {}, '`displayName` is required.'],
  [createKey, { displayName: 7 }, '`displayName` must be a string.'],
  [
    createKey,
    { displayName: 'a', dailyQuota: 0.5 },
    '`dailyQuota` must be a whole number, 0 or more.',
  ],
  [createKey, { displayName: 'a', metadata: [] }, '`metadata` must be an object.'],
  [createKey, { displayName: 'a', colour: 'blue' }, '`colour` is not a known field.'],
  [listApiKeys, { limit: '' }, '`limit` must be a whole number from 1 to 500.'],
  [listApiKeys, { limit: 'many' }, '`limit` must be a whole number from 1 to 500.'],
])(
  'the refusal of a wrong field of %j with %j says what it must be',
  async (each, fields, message) => {
    const given = { projectId, ...fields } as never;
    const run = runOperation(each as typeof listApiKeys, {} as never, given);
    await expect(run).rejects.toMatchObject({ status: 400, message });
  },
);

test.each([{ dryRun: '' }, { prune: '' }, { createProjects: '' }])(
  'an apply with %j, such as from an unset variable, is refused instead of changing anything',
  async (fields) => {
    const query = new URLSearchParams({ ...fields });
    const given = inputOf(apply, { fields: {}, query, body: 'plans: []' });
    const [field] = Object.keys(fields);
    const run = runOperation(apply, {} as never, given as never);
    await expect(run).rejects.toMatchObject({ status: 400, field });
  },
);

it('an export of a later version is one, although it has fields that this one does not know', () => {
  const file = {
    owner: { email: 'a@b.example' },
    plans: [],
    projects: [{ name: 'a', colour: 'b' }],
  };
  expect(isOutput(exportFile.output, file)).toBe(true);
  expect(isOutput(exportFile.output, [])).toBe(false);
});

it('a refusal arrives as it was sent, with all that a program needs', () => {
  const details = { removals: ['reports: GET /v1'], removalsDigest: 'a'.repeat(64) };
  const sent = conflict('…', { code: 'would_remove_policies', field: 'prune', details });
  const body = JSON.parse(JSON.stringify(refusalBody(sent, 'an id')));
  expect(body).toMatchObject({ error: 'conflict', requestId: 'an id' });
  expect(refusalIn(409, body)).toEqual(sent);
  expect(refusalIn(502, body)).toBeNull();
  expect(refusalIn(409, '<html>')).toBeNull();
});
