import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { batchProblemsOf, mixUpsOf } from './support/batch-matrix.ts';
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
import type { Sdk } from './support/sdk.ts';

/*
 * The failure matrix is useful only if it can fail. Each mutant is a copy of the built package with
 * one line broken, and the matrix must catch it.
 */

interface Mutant extends Sabotage {
  readonly name: string;
  /** The failures of the matrix, by name, of which at least one must catch it. */
  readonly caughtBy: readonly string[];
  readonly options?: MatrixOptions;
}

const denied = ['denies for an unknown reason'];

const MUTANTS: Mutant[] = [
  {
    name: 'an inverted check of the verdict',
    file: 'guard.js',
    from: 'decision.allowed === true ?',
    to: 'decision.allowed !== true ?',
    caughtBy: denied,
  },
  {
    name: 'a failure that allows',
    file: 'guard.js',
    from: 'return { ...failClosed(error, options), isReported };',
    to: `return { ...allow(${ALLOW}), isReported };`,
    caughtBy: ['never answers', 'answers 500', 'resets after the request'],
  },
  ...[
    ['express 5', 'express.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['express 4', 'express.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['fastify 5', 'fastify.js', 'if (verdict.allowed)', 'if (!verdict.allowed)'],
    ['hono', 'hono.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['next', 'next.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
    ['fetch', 'fetch.js', 'if (!verdict.allowed)', 'if (verdict.allowed)'],
  ].map(([adapter = '', file = '', from = '', to = '']) => ({
    name: `an inverted check in ${adapter}`,
    file,
    from,
    to,
    caughtBy: denied,
    options: { adapters: { [adapter]: ADAPTERS[adapter]! } },
  })),
  {
    name: 'a catch in Express that calls next()',
    file: 'express.js',
    from: 'next(new Error("The Ceiba middleware failed", { cause }))',
    to: 'next()',
    caughtBy: ['answers 500'],
    options: { adapters: { 'broken express': startBrokenExpress } },
  },
  {
    name: 'an `allowed` that may be any truthy value',
    file: 'generated/wire.js',
    from: 'allowed: oneOf(true)',
    to: 'allowed: (value) => value || undefined',
    caughtBy: ['answers "allowed":"true"', 'answers "allowed":1'],
  },
  {
    name: 'limits that may be absent',
    file: 'generated/wire.js',
    from: 'access: parseAccessContext, limits: parseLimits',
    to: `access: parseAccessContext, limits: (value) => parseLimits(value) ?? ${JSON.stringify(JSON.parse(ALLOW).limits)}`,
    caughtBy: ['answers an allow without limits'],
  },
  {
    name: 'an unchecked status',
    file: 'http/answer.js',
    from: 'answer.status !== 200',
    to: 'false',
    caughtBy: ['answers 500', 'answers 404', 'answers 201'],
  },
  {
    name: 'an unchecked content type',
    file: 'http/answer.js',
    from: 'isWhole && isJson(answer) ?',
    to: 'isWhole ?',
    caughtBy: ['answers an allow as HTML', 'answers an allow of no type'],
  },
  {
    name: 'a body without a bound',
    file: 'http/node-transport.js',
    from: 'exchange.maxResponseBytes,',
    to: 'Number.POSITIVE_INFINITY,',
    caughtBy: ['answers an allow of 70 kB'],
  },
  {
    name: 'no deadline',
    file: 'http/transport.js',
    from: '}, timeoutMs);',
    to: '}, 60_000).unref();',
    caughtBy: ['never answers', 'hangs in the body', 'sends one byte at a time'],
  },
  {
    name: 'a table that passes 401 on to the caller',
    file: 'errors.js',
    from: 'status === 401 ||',
    to: '',
    caughtBy: ['answers 401'],
  },
];

interface BatchMutant extends Sabotage {
  readonly name: string;
  /** Returns the problems that catch it. */
  readonly check: (sdk: Sdk) => Promise<string[]>;
}

const BATCH_MUTANTS: BatchMutant[] = [
  {
    name: 'answers that are shifted by one',
    file: 'coalescer.js',
    from: 'waiters[index]?.settle(answer)',
    to: 'waiters[(index + 1) % waiters.length]?.settle(answer)',
    check: mixUpsOf,
  },
  {
    name: 'a lost batch that is sent again',
    file: 'coalescer.js',
    from: 'const answers = await this.#exchanges.batch(questions, signal);',
    to:
      'let answers = await this.#exchanges.batch(questions, signal); ' +
      'if (answers?.every((answer) => "error" in answer)) ' +
      'answers = await this.#exchanges.batch(questions, signal);',
    check: (sdk) => batchProblemsOf(sdk, failureNamed('resets after the request')),
  },
];

let allowing: HostileRuntime;
// A framework with a broken adapter writes errors to stderr.
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

describe('the failure matrix', () => {
  it.each(MUTANTS)('catches $name', async (mutant) => {
    const sdk = await loadBrokenSdk(mutant);
    for (const name of mutant.caughtBy) {
      const violations = await violationsOf(sdk, failureNamed(name), mutant.options);
      expect(violations, name).not.toEqual([]);
    }
  });

  it.each(BATCH_MUTANTS)('catches $name', async ({ check, ...sabotage }) => {
    expect(await check(await loadBrokenSdk(sabotage))).not.toEqual([]);
  });

  it('finds no violation in an unchanged copy', async () => {
    const sdk = await loadBrokenSdk({ file: 'guard.js', from: '', to: '' });
    expect(await violationsOf(sdk, failureNamed('answers 500'))).toEqual([]);
    for (const { check } of BATCH_MUTANTS) expect(await check(sdk)).toEqual([]);
  });
});
