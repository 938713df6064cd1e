import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import {
  type CarryCharges,
  CHARGE_LIMITS,
  type ChargeLimits,
  ChargeQueue,
  type QueuedCharge,
} from './charge-queue.ts';
import type { ChargeReply } from './charge-reply.ts';

const BUDGET_MS = 200;

/** A charge that can be recognised by its policy. */
const chargeOf = (name: string, projectId = 'p', totalMs = BUDGET_MS): QueuedCharge => ({
  request: { projectId, apiKeyId: 'k', policyId: name, cost: 1, scopes: [] },
  seeds: null,
  deadline: new Deadline(totalMs),
});

const nameOf = ({ request }: QueuedCharge) => request.policyId;

/** A reply that can be recognised by its minute. */
const replyTo = (charge: QueuedCharge): ChargeReply => ({
  kind: 'reseed',
  minute: Number(nameOf(charge)),
});

/** Calls that a test answers by hand. */
function setUp(limits: Partial<ChargeLimits> = {}) {
  const calls: {
    projectId: string;
    charges: readonly QueuedCharge[];
    names: string[];
    answer: (replies?: readonly ChargeReply[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const carry: CarryCharges = (projectId, charges) =>
    new Promise((resolve, reject) => {
      calls.push({
        projectId,
        charges,
        names: charges.map(nameOf),
        answer: (replies = charges.map(replyTo)) => resolve(replies),
        fail: reject,
      });
    });
  const queue = new ChargeQueue(carry, { ...CHARGE_LIMITS, ...limits });
  /** What became of each charge so far, by its name. */
  const outcomes: Record<string, ChargeReply | string> = {};
  const charge = (name: string, projectId?: string, totalMs?: number) => {
    queue.charge(chargeOf(name, projectId, totalMs)).then(
      (reply) => {
        outcomes[name] = reply;
      },
      (error: Error) => {
        outcomes[name] = error.message;
      },
    );
  };
  return { queue, calls, charge, outcomes };
}

const turn = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  vi.useRealTimers();
});

describe('charges of one project', () => {
  it('share a call if they arrive in one turn of the event loop', async () => {
    const { charge, calls } = setUp();
    charge('1');
    await Promise.resolve();
    charge('2');
    expect(calls).toEqual([]);
    await turn();
    expect(calls.map(({ names }) => names)).toEqual([['1', '2']]);
  });

  it('wait for the next call while one is in flight, in order of arrival', async () => {
    const { charge, calls } = setUp({ maxCharges: 3 });
    charge('0');
    await turn();
    for (const name of ['1', '2', '3', '4', '5']) {
      charge(name);
      await turn();
    }
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await turn();
    expect(calls.map(({ names }) => names)).toEqual([['0'], ['1', '2', '3']]);
    calls[1]?.answer();
    await turn();
    expect(calls[2]?.names).toEqual(['4', '5']);
  });

  it('get their own replies', async () => {
    const { charge, calls, outcomes } = setUp();
    for (const name of ['1', '2', '3']) charge(name);
    await turn();
    calls[0]?.answer();
    await turn();
    expect(outcomes).toEqual({
      1: { kind: 'reseed', minute: 1 },
      2: { kind: 'reseed', minute: 2 },
      3: { kind: 'reseed', minute: 3 },
    });
  });

  it('are unavailable where the call has no reply to them', async () => {
    const { charge, calls, outcomes } = setUp();
    for (const name of ['1', '2']) charge(name);
    await turn();
    calls[0]?.answer([{ kind: 'late' }]);
    await turn();
    expect(outcomes).toEqual({
      1: { kind: 'late' },
      2: 'a call did not answer each of its charges',
    });
  });

  it('are carried 64 at a time', async () => {
    const { charge, calls } = setUp();
    for (let name = 0; name < 150; name++) charge(`${name}`);
    for (const expected of [64, 64, 22]) {
      await turn();
      expect(calls.at(-1)?.charges).toHaveLength(expected);
      calls.at(-1)?.answer();
    }
    await turn();
    expect(calls.flatMap(({ names }) => names.map(Number))).toEqual([...Array(150).keys()]);
  });

  it('fail together with their call, and so do those that wait for the next', async () => {
    const { charge, calls, outcomes } = setUp({ maxCharges: 1 });
    for (const name of ['1', '2']) charge(name);
    await turn();
    calls[0]?.fail(new Error('connection lost'));
    await turn();
    expect(outcomes).toEqual({ 1: 'connection lost', 2: 'connection lost' });
    charge('3');
    await turn();
    expect(calls.map(({ names }) => names)).toEqual([['1'], ['3']]);
    calls[1]?.answer();
    await turn();
    expect(outcomes[3]).toEqual({ kind: 'reseed', minute: 3 });
  });
});

describe('charges of several projects', () => {
  it('never wait for the call of another project', async () => {
    const { charge, calls } = setUp();
    charge('1', 'p');
    await turn();
    charge('2', 'p');
    charge('3', 'q');
    await turn();
    expect(calls.map(({ projectId, names }) => [projectId, ...names])).toEqual([
      ['p', '1'],
      ['q', '3'],
    ]);
  });

  it('leave in the same turn, in one call per project', async () => {
    const { charge, calls } = setUp();
    for (const [name, projectId] of ['p', 'q', 'p', 'q'].entries()) charge(`${name}`, projectId);
    await turn();
    expect(calls.map(({ names }) => names)).toEqual([
      ['0', '2'],
      ['1', '3'],
    ]);
  });
});

describe('a full queue', () => {
  it('refuses the charges of its project and takes those of others', async () => {
    const { queue, charge, calls } = setUp({ maxWaiting: 2 });
    charge('0');
    await turn();
    for (const name of ['1', '2']) charge(name);
    const refused = queue.charge(chargeOf('3'));
    await expect(refused).rejects.toThrow(
      new UnavailableError('overload', 'too many charges of the project are waiting'),
    );
    charge('4', 'q');
    await turn();
    expect(calls.map(({ names }) => names)).toEqual([['0'], ['4']]);
  });

  it('takes charges again when a call has taken some', async () => {
    const { charge, calls, outcomes } = setUp({ maxWaiting: 1 });
    charge('0');
    await turn();
    charge('1');
    calls[0]?.answer();
    await turn();
    charge('2');
    calls[1]?.answer();
    await turn();
    calls[2]?.answer();
    await turn();
    expect(Object.keys(outcomes)).toEqual(['0', '1', '2']);
  });
});

describe('a charge whose deadline passes', () => {
  it('while it waits is not sent, and is answered while the call is still in flight', async () => {
    const { charge, calls, outcomes } = setUp();
    charge('0', 'p', 10 * BUDGET_MS);
    await turn();
    charge('1', 'p', 50);
    charge('2', 'p', 10 * BUDGET_MS);
    await vi.advanceTimersByTimeAsync(49);
    expect(outcomes).toEqual({});
    await vi.advanceTimersByTimeAsync(12);
    expect(outcomes).toEqual({ 1: 'the deadline passed before a call could carry the charge' });
    calls[0]?.answer();
    await turn();
    expect(calls[1]?.names).toEqual(['2']);
  });

  it('in the moment in which its call leaves is not sent', async () => {
    const { charge, calls, outcomes } = setUp();
    charge('0', 'p', 10 * BUDGET_MS);
    await turn();
    charge('1', 'p', 3);
    charge('2', 'p', 10 * BUDGET_MS);
    await vi.advanceTimersByTimeAsync(4);
    calls[0]?.answer();
    await turn();
    expect(calls[1]?.names).toEqual(['2']);
    expect(outcomes[1]).toBe('the deadline passed before a call could carry the charge');
  });

  it('while the queue looks at it is either sent or answered', async () => {
    const { queue, calls } = setUp();
    let now = 0;
    const deadline = new Deadline(2, () => now++);
    const reply = queue.charge({ ...chargeOf('1'), deadline });
    await turn();
    calls[0]?.answer();
    await turn();
    expect(await Promise.race([reply, 'neither'])).toEqual({ kind: 'reseed', minute: 1 });
  });

  it('is answered in time after it was sent, and its neighbours still get their replies', async () => {
    const { charge, calls, outcomes } = setUp();
    charge('1', 'p', 50);
    charge('2', 'p', BUDGET_MS);
    await vi.advanceTimersByTimeAsync(60);
    expect(outcomes).toEqual({ 1: 'the deadline passed before the call answered' });
    calls[0]?.answer();
    await turn();
    expect(outcomes[1]).toBe('the deadline passed before the call answered');
    expect(outcomes[2]).toEqual({ kind: 'reseed', minute: 2 });
  });

  it('keeps later charges of its project waiting for the call in flight', async () => {
    const { charge, calls } = setUp();
    charge('1', 'p', 50);
    await vi.advanceTimersByTimeAsync(70);
    charge('2');
    await turn();
    expect(calls).toHaveLength(1);
    calls[0]?.answer();
    await turn();
    expect(calls[1]?.names).toEqual(['2']);
  });
});

it('holds nothing, and no timer, once every charge is answered', async () => {
  const { charge, calls } = setUp();
  charge('1');
  await turn();
  calls[0]?.answer();
  await vi.advanceTimersByTimeAsync(20);
  expect(vi.getTimerCount()).toBe(0);
});
