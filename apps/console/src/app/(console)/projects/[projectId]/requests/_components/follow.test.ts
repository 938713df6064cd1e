import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { follow } from './follow.ts';

/** The connections so far, and which of them are open. */
let sources: FakeSource[];

class FakeSource {
  isOpen = true;
  onopen?: () => void;
  onmessage?: () => void;
  onerror?: () => void;
  constructor(readonly address: string) {
    sources.push(this);
  }
  close() {
    this.isOpen = false;
  }
}

class FakeDocument extends EventTarget {
  hidden = false;
  show(isVisible: boolean) {
    this.hidden = !isVisible;
    this.dispatchEvent(new Event('visibilitychange'));
  }
}

const open = () => sources.filter(({ isOpen }) => isOpen);
const newest = () => {
  const source = sources.at(-1);
  if (source === undefined) throw new Error('nothing was connected');
  return source;
};

let page: FakeDocument;
const onNew = vi.fn();
const onEnd = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  sources = [];
  page = new FakeDocument();
  vi.stubGlobal('document', page);
  vi.stubGlobal('EventSource', FakeSource);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('follow', () => {
  it('reports events, and nothing after it was stopped', () => {
    const stop = follow('/tail', { onNew, onEnd });
    newest().onmessage?.();
    expect(onNew).toHaveBeenCalledTimes(1);
    stop();
    page.show(true);
    vi.runAllTimers();
    expect(open()).toEqual([]);
    expect(sources).toHaveLength(1);
  });

  it('connects again with pauses that double, and ends after eight failures in a row', () => {
    follow('/tail', { onNew, onEnd });
    const pauses: number[] = [];
    for (let failed = 0; failed < 8; failed += 1) {
      const before = Date.now();
      newest().onerror?.();
      expect(open()).toEqual([]);
      vi.advanceTimersToNextTimer();
      pauses.push(Date.now() - before);
      expect(open()).toHaveLength(1);
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(onEnd).not.toHaveBeenCalled();
    newest().onerror?.();
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('starts with the shortest pause after a connection that opened', () => {
    follow('/tail', { onNew, onEnd });
    for (let ended = 0; ended < 20; ended += 1) {
      newest().onopen?.();
      newest().onerror?.();
      vi.advanceTimersByTime(500);
    }
    expect(sources).toHaveLength(21);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('has no connection while the tab is hidden, and at most one at any time', () => {
    follow('/tail', { onNew, onEnd });
    newest().onerror?.();
    page.show(false);
    vi.runAllTimers();
    expect(open()).toEqual([]);
    page.show(true);
    page.show(true);
    expect(open()).toHaveLength(1);
    expect(onNew).toHaveBeenCalled();
  });
});
