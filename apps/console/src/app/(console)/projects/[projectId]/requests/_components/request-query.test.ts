import { HTTP_STATUS_FOR_DENIAL } from '@ceiba/contract/sets';
import { describe, expect, it } from 'vitest';
import { requestsHref } from '#lib/requests-href.ts';
import { OUTCOME_CHOICES, parseRequestQuery } from './request-query.ts';

const ID = '0192f0c1-7a3b-7c4d-8e5f-0123456789ab';
const queryOf = (href: string) => Object.fromEntries(new URL(href, 'http://x').searchParams);

describe('parseRequestQuery', () => {
  it('selects the whole log without a filter', () => {
    expect(parseRequestQuery({ cursor: `after.${ID}` })).toMatchObject({
      filter: {},
      errors: {},
      cursor: `after.${ID}`,
      isFiltered: false,
    });
  });

  it('reads every field, and includes both minutes of a range', () => {
    const query = {
      outcome: 'denied',
      reason: 'rate_limited',
      key: ID,
      method: 'get',
      pathPrefix: 'v1/reports',
      decisionId: ID.toUpperCase(),
      requestId: ' req-7 ',
      from: '2026-11-22T14:05Z',
      to: '2026-11-22T14:05:59.999Z',
    };
    const { filter, fields, errors, isFiltered } = parseRequestQuery(query);
    expect(filter).toEqual({
      outcome: 'denied',
      reason: 'rate_limited',
      method: 'GET',
      pathPrefix: '/v1/reports',
      decisionId: ID,
      requestId: 'req-7',
      from: new Date('2026-11-22T14:05:00Z'),
      to: new Date('2026-11-22T14:06:00Z'),
    });
    expect(fields).toMatchObject({
      key: ID,
      from: '2026-11-22T14:05Z',
      to: '2026-11-22T14:05Z',
    });
    expect(errors).toEqual({});
    expect(isFiltered).toBe(true);
  });

  it('takes a reason as a denial, whatever the outcome of the URL', () => {
    expect(parseRequestQuery({ reason: 'rate_limited', outcome: 'allowed' }).filter).toEqual({
      outcome: 'denied',
      reason: 'rate_limited',
    });
  });

  it('takes the ID of a key in capitals for that ID, and keeps the case of a prefix', () => {
    expect(parseRequestQuery({ key: ID.toUpperCase() }).key?.text).toBe(ID);
    expect(parseRequestQuery({ key: 'ceiba_4fZk' }).key?.text).toBe('ceiba_4fZk');
  });

  it('ignores choices that do not exist', () => {
    const { filter, isFiltered } = parseRequestQuery({ outcome: 'maybe', reason: 'no_reason' });
    expect(filter).toEqual({});
    expect(isFiltered).toBe(false);
  });

  it.each([
    ['decisionId', '42'],
    ['key', 'Mobile app'],
    ['from', '2026-02-30T00:00'],
    ['from', '2026-02-03'],
    ['to', '2026-02-03T24:00'],
  ] as const)('refuses the %s "%s" beside its field and keeps what was typed', (name, value) => {
    const { errors, fields } = parseRequestQuery({ [name]: value });
    expect(Object.keys(errors)).toEqual([name]);
    expect(fields[name]).toBe(value);
  });

  it.each([
    ['/v1/reports', {}, { pathPrefix: '/v1/reports' }],
    ['v1/reports', {}, { pathPrefix: '/v1/reports' }],
    ['req-7', {}, { anyOf: { pathPrefix: '/req-7', requestId: 'req-7' } }],
    ['/ceiba_abc', {}, { pathPrefix: '/ceiba_abc' }],
    ['403', {}, { status: 403 }],
    ['404', {}, { anyOf: { pathPrefix: '/404', requestId: '404' } }],
    [ID, {}, { anyOf: { decisionId: ID, requestId: ID } }],
    [ID.toUpperCase(), {}, { anyOf: { decisionId: ID, requestId: ID.toUpperCase() } }],
    ['ceiba_abc', { field: 'pathPrefix', text: 'ceiba_abc' }, {}],
    ['acme_abc', { field: 'pathPrefix', text: 'acme_abc' }, {}],
  ])('takes "%s" in the search for what it is, and keeps it in its field', (text, key, filter) => {
    const asked = parseRequestQuery({ pathPrefix: text }, 'acme_');
    expect(asked.filter).toEqual(filter);
    expect(asked.key ?? {}).toEqual(key);
    expect(asked.errors).toEqual({});
    expect(asked.isFiltered).toBe(true);
  });

  it('keeps a text without a slash as it was typed, so that the next search is the same', () => {
    expect(parseRequestQuery({ pathPrefix: 'req-7' }).fields.pathPrefix).toBe('req-7');
  });

  it('refuses a status in the search where the outcome names another', () => {
    const errorsOf = (outcome: string) => parseRequestQuery({ outcome, pathPrefix: '403' }).errors;
    expect(errorsOf('429')).toEqual({ pathPrefix: 'The outcome names another status.' });
    for (const outcome of ['403', 'denied', '']) expect(errorsOf(outcome)).toEqual({});
  });

  it('finds what both the search and a field name', () => {
    const { filter } = parseRequestQuery({ pathPrefix: 'req-7', requestId: 'req-8' });
    expect(filter).toEqual({
      anyOf: { pathPrefix: '/req-7', requestId: 'req-7' },
      requestId: 'req-8',
    });
  });

  it('takes a prefix in the search for no key where another field names the key', () => {
    const asked = parseRequestQuery({ pathPrefix: 'ceiba_abc', key: ID });
    expect(asked.key).toEqual({ field: 'key', text: ID });
    expect(asked.filter).toEqual({ anyOf: { pathPrefix: '/ceiba_abc', requestId: 'ceiba_abc' } });
  });

  it.each(Object.values(HTTP_STATUS_FOR_DENIAL))('has the denials with %d', (status) => {
    expect(OUTCOME_CHOICES.map(({ value }) => value)).toContain(String(status));
    expect(parseRequestQuery({ outcome: String(status) }).filter).toEqual({ status });
  });

  it('refuses a range that ends before it starts', () => {
    const query = { from: '2026-11-22T14:05Z', to: '2026-11-22T14:04Z' };
    expect(parseRequestQuery(query).errors).toEqual({
      to: 'The end must not be before the start.',
    });
  });

  it('cuts a credential to its prefix, wherever it was pasted', () => {
    const apiKey = `ceiba_${'A'.repeat(49)}`;
    const { fields, filter } = parseRequestQuery({ key: apiKey, pathPrefix: `/v1/${apiKey}` });
    expect(fields.key).toBe('ceiba_AAAAAAAA');
    expect(filter.pathPrefix).toBe('/v1/ceiba_AAAAAAAA');
  });
});

describe('requestsHref', () => {
  it('is the address whose filter is the one asked for', () => {
    const href = requestsHref('p1', { reason: 'invalid_api_key', key: ID, method: null });
    expect(href).toMatch(/^\/projects\/p1\/requests\?/);
    expect(parseRequestQuery(queryOf(href))).toMatchObject({
      filter: { outcome: 'denied', reason: 'invalid_api_key' },
      fields: { key: ID, method: '' },
    });
    expect(requestsHref('p1', {})).toBe('/projects/p1/requests');
  });
});
