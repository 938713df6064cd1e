import { describe, expect, it } from 'vitest';
import { epochOf, judgeEpochs } from './redis-epoch.ts';

describe('what a server reports of its data', () => {
  it('is its run id and its replication id', () => {
    const info = '# Server\r\nrun_id:ab12\r\n# Replication\r\nmaster_replid:cd34\r\n';
    expect(epochOf(info)).toBe('ab12cd34');
    expect(epochOf('run_id:ab12\r\n')).toBe('ab12');
  });

  it('is nothing where it names neither, or zeros alone', () => {
    expect(epochOf('redis_version:7.0.0\r\n')).toBeNull();
    expect(epochOf('master_replid:0000000000000000\r\n')).toBeNull();
  });
});

describe('a server whose epoch', () => {
  it.each([
    ['stays is steady', ['a', 'a', 'a'], 'steady'],
    ['changes once has restarted or failed over just then', ['a', 'a', 'b', 'b'], 'steady'],
    ['comes back is one of several', ['a', 'b', 'a'], 'changing'],
    ['is another each time is one of several', ['a', 'b', 'c'], 'changing'],
    ['is not reported says so', [null, null], 'unreported'],
  ] as const)('%s', (_, epochs, verdict) => {
    expect(judgeEpochs(epochs)).toBe(verdict);
  });
});
