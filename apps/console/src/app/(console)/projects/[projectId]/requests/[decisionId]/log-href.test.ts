import { expect, it } from 'vitest';
import { logHref } from './log-href.ts';

const ids = { projectId: 'p-1', decisionId: 'd-2' };

it('puts the ids of a request into the address of another engine', () => {
  const template =
    'https://logs.example.com/{projectId}?q={decisionId}&again={decisionId}&x={other}';
  expect(logHref(template, ids)).toBe('https://logs.example.com/p-1?q=d-2&again=d-2&x={other}');
});

it('is absent without a template', () => {
  expect(logHref(undefined, ids)).toBeUndefined();
});
