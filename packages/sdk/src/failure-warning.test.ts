import { afterEach, describe, expect, it, vi } from 'vitest';
import { RuntimeTransportError, type TransportFailure } from './errors.ts';
import { createFailureWarning } from './failure-warning.ts';
import { createFetchGuard } from './fetch.ts';
import { createFakeRuntimeClient } from './testing.ts';

const emitted = () => {
  const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  return () => emit.mock.calls.map(([message]) => String(message));
};
afterEach(() => vi.restoreAllMocks());

const failure = (kind: TransportFailure, status: number | null = null) =>
  new RuntimeTransportError(kind, 'it failed', {
    status,
    body: { error: 'ceiba_secret_in-the-body', requestId: 'r' },
  });

describe('a failure to get a verdict', () => {
  it.each([
    [
      failure('error_status', 401),
      'refuses the project secret for this projectId (401); check projectId (CEIBA_PROJECT_ID) and projectSecret (CEIBA_PROJECT_SECRET)',
    ],
    [
      new RuntimeTransportError('error_status', 'it failed', { status: 403, body: '<html>' }),
      'what answers at runtimeBaseUrl is no Runtime (403); it may be the console',
    ],
    [failure('error_status', 404), 'there is no Runtime at runtimeBaseUrl (404)'],
    [failure('error_status', 503), 'the Runtime answers 503'],
    [failure('unreachable'), 'cannot be reached; check runtimeBaseUrl (CEIBA_RUNTIME_URL)'],
    [failure('timeout'), 'did not answer in time'],
    [
      failure('invalid_answer', 200),
      'gives no decision: it is no Runtime, or its answers break off',
    ],
    [new Error('a bug'), 'asking the Runtime failed'],
  ])('is a warning that names the cause: %s, %s', (error, text) => {
    const messages = emitted();
    createFailureWarning()(error);
    expect(messages()).toEqual([expect.stringContaining(text)]);
  });

  it('is reported once a minute for each cause, without what the Runtime answered', () => {
    const messages = emitted();
    let nowMs = 0;
    const report = createFailureWarning(() => nowMs);
    for (let n = 0; n < 3; n += 1) {
      report(failure('error_status', 401));
      report(failure('timeout'));
    }
    expect(messages()).toHaveLength(2);
    nowMs = 60_000;
    report(failure('timeout'));
    expect(messages()).toHaveLength(3);
    const { calls } = vi.mocked(process.emitWarning).mock;
    expect(JSON.stringify(calls)).not.toContain('ceiba_secret');
  });

  it('is no warning where the caller went away, or an open circuit breaker repeats it', () => {
    const messages = emitted();
    const report = createFailureWarning();
    report(failure('aborted'));
    report(failure('circuit_open'));
    expect(messages()).toEqual([]);
  });

  it('is no warning where the test of a host asked for it', async () => {
    const messages = emitted();
    const client = createFakeRuntimeClient({ verdicts: { down: 'unavailable' } });
    const headers = { 'x-api-key': 'down' };
    const verdict = await createFetchGuard({ client })(new Request('http://host/', { headers }));
    expect(verdict).toMatchObject({ allowed: false, response: { status: 503 } });
    expect(messages()).toEqual([]);
  });
});
