import { afterEach, expect, it, vi } from 'vitest';
import { warn } from './warn.ts';

afterEach(() => vi.restoreAllMocks());

const withoutStack = Object.assign(new Error('message alone'), { stack: undefined });

it.each([
  [new Error('with a stack'), expect.stringMatching(/^Error: with a stack\n {4}at /)],
  [withoutStack, 'message alone'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('reports an error as a warning with its detail: %s', (cause, detail) => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  warn('onDecision threw', cause);
  expect(emit.mock.calls).toEqual([['onDecision threw', { type: 'CeibaWarning', detail }]]);
});

it.each([
  ['there is no process', undefined],
  [
    'its process has no warnings',
    {
      get emitWarning() {
        throw new Error('not supported');
      },
    },
  ],
])('writes to the console where %s', (_name, process) => {
  vi.stubGlobal('process', process);
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  warn('onDecision threw', 'a text');
  vi.unstubAllGlobals();
  expect(log.mock.calls).toEqual([['CeibaWarning: onDecision threw', 'a text']]);
});
