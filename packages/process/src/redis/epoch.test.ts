import { describe, expect, it } from 'vitest';
import { EPOCH_SAMPLES, epochOf, judgeEpochs, sampleEpochs } from './epoch.ts';

describe('the epoch of a server', () => {
  it('is its run id and its replication id', () => {
    const info = '# Server\r\nrun_id:ab12\r\n# Replication\r\nmaster_replid:cd34\r\n';
    expect(epochOf(info)).toBe('ab12cd34');
    expect(epochOf('run_id:ab12\r\n')).toBe('ab12');
  });

  it('is null where it reports neither, or only zeros', () => {
    expect(epochOf('redis_version:7.0.0\r\n')).toBeNull();
    expect(epochOf('master_replid:0000000000000000\r\n')).toBeNull();
  });
});

describe('the samples of epochs', () => {
  it('are asked for over all connections at once, and kept in the order of the replies', async () => {
    const replies: (() => void)[] = [];
    const connections = ['a', 'b', 'c'].map(
      (runId) => () => new Promise((resolve) => replies.push(() => resolve(`run_id:${runId}`))),
    );
    const sampled = sampleEpochs(connections);
    for (let round = 0; round < EPOCH_SAMPLES.rounds; round++) {
      expect(replies).toHaveLength(3);
      for (const reply of replies.splice(0).reverse()) reply();
      await new Promise(setImmediate);
    }
    expect((await sampled).slice(0, 6)).toEqual(['c', 'b', 'a', 'c', 'b', 'a']);
  });
});

describe('a server whose epoch', () => {
  it.each([
    ['stays is steady', ['a', 'a', 'a'], 'steady'],
    ['changes once has restarted or failed over meanwhile', ['a', 'a', 'b', 'b'], 'steady'],
    ['returns is one of several', ['a', 'b', 'a'], 'changing'],
    ['differs each time is one of several', ['a', 'b', 'c'], 'changing'],
    ['is not reported is found out', [null, null], 'unreported'],
  ] as const)('%s', (_, epochs, finding) => {
    expect(judgeEpochs(epochs)).toBe(finding);
  });
});
