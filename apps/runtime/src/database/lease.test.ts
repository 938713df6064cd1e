import type { LeaseRenewal, ServerEvidence } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { FencingLease } from './lease.ts';

const ON_A: ServerEvidence = { inRecovery: false, server: 'a', isSynchronous: true };
const ON_B: ServerEvidence = { ...ON_A, server: 'b' };
const written = (evidence: ServerEvidence): LeaseRenewal => ({ evidence, isWritten: true });

function setUp(leaseMs?: number) {
  const clock = { ms: 0 };
  const answers: ((answer: LeaseRenewal | null | Error) => void)[] = [];
  const asked: { always: boolean }[] = [];
  const warnings: unknown[] = [];
  const lease = new FencingLease({
    leaseMs,
    renew: (renewal) =>
      new Promise((resolve, reject) => {
        asked.push(renewal);
        answers.push((it) => (it instanceof Error ? reject(it) : resolve(it)));
      }),
    now: () => clock.ms,
    log: { info() {}, warn: ({ err }: { err: Error }) => warnings.push(err.message) },
  });
  const renew = async (answer: LeaseRenewal | null | Error, tookMs = 0) => {
    const renewed = lease.renew();
    clock.ms += tookMs;
    answers.pop()?.(answer);
    await renewed;
  };
  return { lease, clock, renew, asked, warnings };
}

describe('a lease', () => {
  it('is not held before a commit was acknowledged', () => {
    expect(setUp().lease.judge(ON_A)).toBe('expired');
  });

  it('lasts from when the commit was sent, not from its answer', async () => {
    const { lease, clock, renew } = setUp();
    await renew(written(ON_A), 700);
    expect(lease.judge(ON_A)).toBe('trusted');
    clock.ms = 999;
    expect(lease.judge(ON_A)).toBe('trusted');
    clock.ms = 1_000;
    expect(lease.judge(ON_A)).toBe('expired');
  });

  it('has already expired when the answer takes longer than a lease', async () => {
    const { lease, renew } = setUp();
    await renew(written(ON_A), 1_000);
    expect(lease.judge(ON_A)).toBe('expired');
  });

  it('is valid only for the server that acknowledged it', async () => {
    const { lease, renew } = setUp();
    await renew(written(ON_A));
    expect(lease.judge(ON_B)).toBe('elsewhere');
    await renew(written(ON_B));
    expect(lease.judge(ON_A)).toBe('elsewhere');
    expect(lease.judge(ON_B)).toBe('trusted');
  });

  it.each([
    ['a commit whose wait was cancelled', null],
    ['a statement that wrote nothing', { evidence: ON_A, isWritten: false }],
    ['a failure', new Error('no answer')],
  ])('is not renewed by %s', async (_, answer) => {
    const { lease, clock, renew } = setUp();
    await renew(written(ON_A));
    clock.ms = 900;
    await renew(answer);
    expect(lease.judge(ON_A)).toBe('trusted');
    clock.ms = 1_000;
    expect(lease.judge(ON_A)).toBe('expired');
  });

  it('logs once why it is missing, also where no renewal ever succeeded', async () => {
    const { clock, renew, warnings } = setUp();
    await renew(new Error('permission denied'));
    await renew(new Error('permission denied'));
    expect(warnings).toEqual(['permission denied']);
    await renew(written(ON_A));
    await renew(new Error('no answer'));
    expect(warnings).toHaveLength(1);
    clock.ms = 1_000;
    await renew(null);
    await renew(null);
    expect(warnings.slice(1)).toEqual(['the standby did not confirm the commit']);
  });
});

describe('without DATABASE_LEASE_MS a lease', () => {
  it('is required as soon as a statement reports that commits wait for a standby', async () => {
    const { lease, renew, asked } = setUp();
    const alone = { ...ON_A, isSynchronous: false };
    await renew({ evidence: alone, isWritten: false });
    expect(lease.judge(alone)).toBe('trusted');
    expect(lease.judge(ON_A)).toBe('expired');
    expect(asked).toEqual([{ always: false }]);
  });
});

describe('a primary without a synchronous standby', () => {
  it('replaces a primary that is cut off, whose connections are then dropped', async () => {
    const { lease, clock, renew } = setUp();
    await renew(written(ON_A));
    clock.ms = 5_000;
    expect(lease.judge(ON_A)).toBe('expired');
    const successor = { ...ON_B, isSynchronous: false };
    await renew({ evidence: successor, isWritten: false });
    expect(lease.judge(successor)).toBe('trusted');
    expect(lease.judge(ON_A)).toBe('elsewhere');
  });
});

describe('DATABASE_LEASE_MS', () => {
  it('requires a lease even where no commit waits', async () => {
    const { lease, clock, renew, asked } = setUp(400);
    const alone = { ...ON_A, isSynchronous: false };
    expect(lease.judge(alone)).toBe('expired');
    await renew(written(alone));
    clock.ms = 399;
    expect(lease.judge(alone)).toBe('trusted');
    clock.ms = 400;
    expect(lease.judge(alone)).toBe('expired');
    expect(asked).toEqual([{ always: true }]);
  });

  it('of 0 requires none', () => {
    expect(setUp(0).lease.judge(ON_A)).toBe('trusted');
  });
});
