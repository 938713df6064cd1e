import { describe, expect, it, vi } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { RuntimeTransportError, type TransportFailure } from './errors.ts';

const down = () => Promise.reject(new RuntimeTransportError('unreachable', 'down'));
const answered = (status: number) => () =>
  Promise.reject(new RuntimeTransportError('error_status', 'x', { status, body: null }));
const up = () => Promise.resolve('up');

async function failureOf(run: Promise<unknown>): Promise<TransportFailure | 'none'> {
  try {
    await run;
    return 'none';
  } catch (error) {
    if (RuntimeTransportError.is(error)) return error.failure;
    throw error;
  }
}

describe('the circuit breaker', () => {
  it('opens after failures in a row, and sends nothing while it is open', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 3, openMs: 100 }, () => 0);
    for (let asked = 0; asked < 3; asked += 1) {
      expect(await failureOf(breaker.run(down))).toBe('unreachable');
    }
    const call = vi.fn(up);
    expect(await failureOf(breaker.run(call))).toBe('circuit_open');
    expect(call).not.toHaveBeenCalled();
  });

  it('sends one probe after the open time, and closes when the probe succeeds', async () => {
    let now = 0;
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => now);
    await failureOf(breaker.run(down));
    now = 100;
    const answers: ((value: string) => void)[] = [];
    const probe = breaker.run(() => new Promise<string>((resolve) => answers.push(resolve)));
    expect(await failureOf(breaker.run(up))).toBe('circuit_open');
    answers[0]?.('up');
    expect(await probe).toBe('up');
    expect(await breaker.run(up)).toBe('up');
  });

  it('stays open when the probe fails', async () => {
    let now = 0;
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => now);
    await failureOf(breaker.run(down));
    now = 100;
    expect(await failureOf(breaker.run(down))).toBe('unreachable');
    now = 199;
    expect(await failureOf(breaker.run(up))).toBe('circuit_open');
    now = 200;
    expect(await breaker.run(up)).toBe('up');
  });

  it('counts only failures in a row', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 2, openMs: 100 }, () => 0);
    for (let round = 0; round < 5; round += 1) {
      expect(await failureOf(breaker.run(down))).toBe('unreachable');
      expect(await breaker.run(up)).toBe('up');
    }
  });

  it.each([400, 401, 403, 404, 429])(
    'is not opened by a Runtime that answers %i',
    async (status) => {
      const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => 0);
      expect(await failureOf(breaker.run(answered(status)))).toBe('error_status');
      expect(await breaker.run(up)).toBe('up');
    },
  );

  it.each([500, 503])('is opened by a Runtime that answers %i', async (status) => {
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => 0);
    await failureOf(breaker.run(answered(status)));
    expect(await failureOf(breaker.run(up))).toBe('circuit_open');
  });

  it('counts a result as a failure where the call says that it is one', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 2, openMs: 100 }, () => 0);
    const isDown = (result: string) => result === 'down';
    const results = ['down', 'up', 'down', 'down'];
    for (const result of results)
      expect(await breaker.run(async () => result, isDown)).toBe(result);
    expect(await failureOf(breaker.run(up))).toBe('circuit_open');
  });

  it('is not opened by a question that could not be sent', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => 0);
    const wrong = () => Promise.reject(new TypeError('timeoutMs is wrong'));
    await expect(breaker.run(wrong)).rejects.toThrow(TypeError);
    expect(await breaker.run(up)).toBe('up');
  });

  it('is not opened by callers that cancel', async () => {
    const breaker = createCircuitBreaker({ failureThreshold: 1, openMs: 100 }, () => 0);
    const cancelled = () => Promise.reject(new RuntimeTransportError('aborted', 'x'));
    expect(await failureOf(breaker.run(cancelled))).toBe('aborted');
    expect(await breaker.run(up)).toBe('up');
  });
});
