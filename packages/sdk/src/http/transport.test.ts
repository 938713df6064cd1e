import { afterEach, describe, expect, it, vi } from 'vitest';
import { RuntimeTransportError } from '../errors.ts';
import { cancelled, isAnswerEnough, StopReason, unreachable, watchForStop } from './transport.ts';

const exchange = (signal?: AbortSignal) => ({
  method: 'GET' as const,
  path: '/',
  body: undefined,
  timeoutMs: 250,
  maxResponseBytes: 1,
  signal,
});

describe('watchForStop', () => {
  afterEach(() => vi.useRealTimers());

  it('stops a call at the deadline, and not before', () => {
    vi.useFakeTimers();
    const stop = vi.fn();
    watchForStop(exchange(), stop);
    vi.advanceTimersByTime(249);
    expect(stop).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(stop.mock.calls).toEqual([
      [new RuntimeTransportError('timeout', 'The Runtime gave no answer within 250 ms')],
    ]);
    expect(stop.mock.calls[0]?.[0]).toMatchObject({ failure: 'timeout', status: null });
  });

  it('stops a call once when its signal fires', () => {
    vi.useFakeTimers();
    const stop = vi.fn();
    const controller = new AbortController();
    watchForStop(exchange(controller.signal), stop);
    controller.abort();
    controller.signal.dispatchEvent(new Event('abort'));
    expect(stop.mock.calls).toEqual([[cancelled()]]);
  });

  it('stops a call with the error of its signal only if this package has aborted it', () => {
    vi.useFakeTimers();
    const late = new RuntimeTransportError('timeout', 'late');
    const stops = [new StopReason(late), late, new Error('other')].map((reason) => {
      const stop = vi.fn();
      const controller = new AbortController();
      watchForStop(exchange(controller.signal), stop);
      controller.abort(reason);
      return stop.mock.calls[0]?.[0];
    });
    expect(stops.map((error) => error?.failure)).toEqual(['timeout', 'aborted', 'aborted']);
  });

  it('leaves no timer or listener after the call', () => {
    vi.useFakeTimers();
    const stop = vi.fn();
    const controller = new AbortController();
    const unwatch = watchForStop(exchange(controller.signal), stop);
    unwatch();
    controller.abort();
    vi.advanceTimersByTime(10_000);
    expect(stop).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a transport error', () => {
  it('says that the call was cancelled, or that the Runtime cannot be reached, with the cause', () => {
    expect(cancelled()).toMatchObject({ failure: 'aborted', message: 'The call was cancelled' });
    const cause = new Error('ECONNREFUSED');
    expect(unreachable(cause)).toMatchObject({
      failure: 'unreachable',
      message: 'The Runtime cannot be reached',
      status: null,
      body: null,
      cause,
    });
  });
});

describe('an answer with an incomplete body', () => {
  const late = new RuntimeTransportError('timeout', 'late');
  it.each([
    [200, cancelled(), false],
    [500, cancelled(), false],
    [200, unreachable(null), true],
    [500, unreachable(null), true],
    [199, late, true],
    [200, late, false],
    [299, late, false],
    [300, late, true],
    [500, late, true],
  ])('of status %i after %s is usable: %s', (status, error, expected) => {
    expect(isAnswerEnough(status, error)).toBe(expected);
  });
});
