import { describe, expect, it } from 'vitest';
import { RuntimeTransportError } from '../errors.ts';
import { isOfAnother, isRefusedQuestion, resultOf, withSetting } from './answer.ts';
import type { HttpAnswer } from './transport.ts';

const answer = (changes: Partial<HttpAnswer>): HttpAnswer => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  text: '{}',
  cutOff: null,
  ...changes,
});
const failed = (status: number | null, body: unknown, options?: ErrorOptions) =>
  new RuntimeTransportError('error_status', 'The Runtime answered', { status, body }, options);
const ofRuntime = { error: 'not_found', requestId: 'r' };

describe('a question is refused by a Runtime', () => {
  const refused = answer({ status: 400, text: '{"error":"invalid_request"}' });

  it('where it answers 400 with that error', () => {
    expect(isRefusedQuestion(refused)).toBe(true);
  });

  it.each<[string, Partial<HttpAnswer>]>([
    ['another status', { status: 401 }],
    ['a body that was cut off', { cutOff: 'broken' }],
    ['another content type', { contentType: 'text/html' }],
    ['a content type that only contains that of JSON', { contentType: 'x-application/json' }],
    ['another error', { text: '{"error":"conflict"}' }],
    ['no error', { text: '{}' }],
    ['null', { text: 'null' }],
    ['a text', { text: '"error"' }],
    ['no JSON', { text: '<html>' }],
  ])('and not with %s', (_case, changes) => {
    expect(isRefusedQuestion({ ...refused, ...changes })).toBe(false);
  });
});

describe('an error', () => {
  it('is of another program unless it has the form of the Runtime or comes from a proxy', () => {
    for (const body of [null, 'a page', {}, { error: 'x' }, { requestId: 'r' }]) {
      expect(isOfAnother(failed(404, body))).toBe(true);
    }
    expect(isOfAnother(failed(404, ofRuntime))).toBe(false);
    expect(isOfAnother(failed(500, null))).toBe(false);
    expect(isOfAnother(failed(null, null))).toBe(false);
  });

  it('names the settings to look at, and keeps its cause', () => {
    const at = (error: RuntimeTransportError) => withSetting(error, 'http://runtime:4000');
    expect(at(failed(404, null)).message).toContain('is no Ceiba Runtime');
    expect(at(failed(404, null)).message).toContain('CEIBA_RUNTIME_URL');
    expect(at(failed(401, ofRuntime)).message).toContain('CEIBA_PROJECT_SECRET');
    expect(at(failed(503, null)).message).toBe('The Runtime answered at http://runtime:4000');
    const cause = new Error('ECONNREFUSED');
    const unreachable = new RuntimeTransportError(
      'unreachable',
      'No answer',
      { status: null, body: null },
      { cause },
    );
    expect(at(unreachable).message).toMatch(
      /^No answer at http:\/\/runtime:4000: check .*CEIBA_RUNTIME_URL/,
    );
    expect(at(unreachable).cause).toBe(cause);
    expect('cause' in at(failed(503, null))).toBe(false);
  });
});

describe('the result of an answer', () => {
  const accepted = () => 'parsed';

  it('is what was parsed of a whole answer of JSON', () => {
    expect(resultOf(answer({}), accepted, 1024)).toBe('parsed');
  });

  it.each<[string, Partial<HttpAnswer>, string]>([
    ['broke off', { cutOff: 'broken' }, 'broke off'],
    ['was too large', { cutOff: 'too_large' }, 'more than 1 KiB'],
    ['is a page', { contentType: 'text/html' }, 'something other than the expected JSON'],
  ])('is an error where it %s', (_case, changes, words) => {
    expect(() => resultOf(answer(changes), accepted, 1024)).toThrow(words);
  });
});
