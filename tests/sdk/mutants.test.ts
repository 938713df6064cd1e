import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadBrokenSdk, type Sabotage } from './support/break-sdk.ts';
import { type MatrixOptions, violationsOf } from './support/failure-matrix.ts';
import {
  ALLOW,
  type Failure,
  failures,
  type HostileRuntime,
  startAllowingRuntime,
} from './support/hostile-runtime.ts';
import { ADAPTERS, startBrokenExpress } from './support/hosts.ts';

/*
 * The failure matrix is worth something only if it notices. Each mutant is a copy of the built
 * package with one line broken, and the matrix must find it.
 */

interface Mutant extends Sabotage {
  readonly name: string;
  /** The failures of the matrix, by name, of which at least one must notice. */
  readonly noticedBy: readonly string[];
  readonly options?: MatrixOptions;
}

const denied = ['denies for an unknown reason'];

const MUTANTS: Mutant[] = [
  {
    name: 'the check of the verdict inverted',
    file: 'guard.js',
    from: 'decision.allowed === true ?',
    to: 'decision.allowed !== true ?',
    noticedBy: denied,
  },
  {
    name: 'a failure that admits',
    file: 'guard.js',
    from: 'return failClosed(error, options);',
    to: `return admit(${ALLOW});`,
    noticedBy: ['never answers', 'answers 500', 'resets after the request'],
  },
  ...[
    ['express 5', 'express.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['express 4', 'express.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['fastify', 'fastify.js', 'if (verdict.allowed)', 'if (!verdict.allowed)'],
    ['hono', 'hono.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['next', 'next.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['fetch', 'fetch.js', 'if (verdict.allowed)', 'if (!verdict.allowed)'],
  ].map(([adapter = '', file = '', from = '', to = '']) => ({
    name: `the check of ${adapter} inverted`,
    file,
    from,
    to,
    noticedBy: denied,
    options: { adapters: { [adapter]: ADAPTERS[adapter]! } },
  })),
  {
    name: 'a catch in Express that calls next()',
    file: 'express.js',
    from: 'next(new Error("The Ceiba middleware failed", { cause }))',
    to: 'next()',
    noticedBy: ['answers 500'],
    options: { adapters: { 'broken express': startBrokenExpress } },
  },
  {
    name: 'an `allowed` that need only be truthy',
    file: 'decision.js',
    from: 'fields?.allowed === true',
    to: 'fields?.allowed',
    noticedBy: ['answers "allowed":"true"', 'answers "allowed":1'],
  },
  {
    name: 'limits that may be absent',
    file: 'decision.js',
    from: 'if (fields === null) return null;\n  const rateLimitPerMinute',
    to: `if (fields === null) return ${JSON.stringify(JSON.parse(ALLOW).limits)};\n  const rateLimitPerMinute`,
    noticedBy: ['answers an allow without limits'],
  },
  {
    name: 'a status that nobody looks at',
    file: 'client.js',
    from: 'answer.status !== 200',
    to: 'false',
    noticedBy: ['answers 500', 'answers 404', 'answers 201'],
  },
  {
    name: 'a content type that nobody looks at',
    file: 'client.js',
    from: 'isWhole && isJson(answer) ?',
    to: 'isWhole ?',
    noticedBy: ['answers an allow as HTML', 'answers an allow of no type'],
  },
  {
    name: 'a body without a bound',
    file: 'http/node-transport.js',
    from: 'exchange.maxResponseBytes,',
    to: 'Number.POSITIVE_INFINITY,',
    noticedBy: ['answers an allow of 70 kB'],
  },
  {
    name: 'no deadline',
    file: 'http/transport.js',
    from: '}, timeoutMs);',
    to: '}, 60_000).unref();',
    noticedBy: ['never answers', 'hangs in the body', 'sends one byte at a time'],
  },
  {
    name: 'a table that keeps 401 for the caller',
    file: 'errors.js',
    from: 'status === 401 ||',
    to: '',
    noticedBy: ['answers 401'],
  },
];

let allowing: HostileRuntime;
// A broken adapter makes its framework complain on stderr.
const stderr = vi.spyOn(console, 'error').mockImplementation(() => undefined);
beforeAll(async () => {
  allowing = await startAllowingRuntime();
});
afterAll(async () => {
  stderr.mockRestore();
  await allowing.close();
});

function failureNamed(name: string): Failure {
  const failure = failures(allowing.url).find((candidate) => candidate.name === name);
  if (failure === undefined) throw new Error(`there is no failure ${name}`);
  return failure;
}

describe('the failure matrix notices', () => {
  it.each(MUTANTS)('$name', async (mutant) => {
    const sdk = await loadBrokenSdk(mutant);
    for (const name of mutant.noticedBy) {
      const violations = await violationsOf(sdk, failureNamed(name), mutant.options);
      expect(violations, name).not.toEqual([]);
    }
  });

  it('that nothing is wrong with a copy in which nothing was broken', async () => {
    const sdk = await loadBrokenSdk({ file: 'guard.js', from: '', to: '' });
    expect(await violationsOf(sdk, failureNamed('answers 500'))).toEqual([]);
  });
});
