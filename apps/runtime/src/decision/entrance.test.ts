import { digestOf } from '@ceiba/domain';
import { describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { invalidRequest, unauthorized } from '../errors.ts';
import { OVERLOAD, UnavailableError } from '../unavailable.ts';
import { Entrance } from './entrance.ts';
import type { NotProven } from './proven-secrets.ts';

const PROJECT_ID = '0190a0b0-0000-7000-8000-00000000000a';
const DATABASE_OUTAGE = new UnavailableError('database', 'away');

function setUp({ isProven = true, hasRoom = true } = {}) {
  const proof = { projectId: PROJECT_ID, secretDigest: digestOf('secret'), untilMs: 0 };
  const leave = vi.fn();
  const countDecisions = vi.fn(() => true);
  const proven = {
    find: vi.fn(() => (isProven ? proof : null)),
    prove: vi.fn(async (): Promise<typeof proof | NotProven> => 'wrong_secret'),
    renew: vi.fn(),
    forget: vi.fn(),
  };
  const admission = { admit: vi.fn(() => (hasRoom ? { countDecisions, leave } : null)) };
  const paces = {
    project: { slot: vi.fn(async () => {}) },
    unproven: { slot: vi.fn(async () => {}) },
  };
  const countFailure = vi.fn();
  const reportRefusal = vi.fn();
  const errors = { report: vi.fn(), reportRefusal };
  const onRequest = vi.fn();
  const entrance = new Entrance({ proven, admission, errors, paces, countFailure, onRequest });
  const arrival = {
    projectId: PROJECT_ID.toUpperCase(),
    secret: 'secret',
    peer: 'a peer',
    userAgent: 'a host',
    deadline: new Deadline(1_000),
    requestId: 'a request',
    askedAtMs: 1,
    kind: 'one',
    bodyBytes: 7,
    read: () => [],
    tooSlow: 'overload',
    trace: null,
  } as const;
  const counts = { countFailure, onRequest };
  return { proof, proven, admission, paces, ...counts, reportRefusal, leave, entrance, arrival };
}

const failing = (error: Error) => () => Promise.reject(error);

describe('a call whose secret is proven', () => {
  it('is answered in the share of its project, whose ID is the same in any case', async () => {
    const { proof, proven, admission, leave, entrance, arrival } = setUp();
    const answer = await entrance.admit(arrival, async ({ asker }) => asker);
    const { secretDigest } = proof;
    expect(answer).toEqual({
      projectId: PROJECT_ID,
      secretDigest,
      requestId: 'a request',
      askedAtMs: 1,
    });
    expect(admission.admit.mock.calls).toEqual([[PROJECT_ID, 7]]);
    expect(leave.mock.calls).toEqual([[true]]);
    expect(proven.renew.mock.calls).toEqual([[proof]]);
    expect(proven.prove).not.toHaveBeenCalled();
  });

  it('counts an outage against its project, and stays proven through one of Postgres', async () => {
    const { proof, proven, countFailure, leave, entrance, arrival } = setUp();
    await expect(entrance.admit(arrival, failing(DATABASE_OUTAGE))).rejects.toBe(DATABASE_OUTAGE);
    expect(countFailure.mock.calls).toEqual([[PROJECT_ID, DATABASE_OUTAGE]]);
    expect(leave.mock.calls).toEqual([[false]]);
    expect(proven.renew.mock.calls).toEqual([[proof]]);
  });

  it('is one request, however many of its questions fail, and none where it is not valid', async () => {
    const { onRequest, entrance, arrival } = setUp();
    await entrance.admit(arrival, async () => 'answer');
    await entrance.admit(arrival, async (share) => {
      share.report(invalidRequest('no question'));
      for (let failed = 0; failed < 64; failed += 1) share.report(DATABASE_OUTAGE);
    });
    await entrance.admit(arrival, failing(DATABASE_OUTAGE)).catch(() => {});
    await entrance.admit(arrival, failing(invalidRequest('no body'))).catch(() => {});
    expect(onRequest.mock.calls).toEqual([[null], [DATABASE_OUTAGE], [DATABASE_OUTAGE]]);
    const { onRequest: ofShed, ...full } = setUp({ hasRoom: false });
    await full.entrance.admit(arrival, async () => {}).catch(() => {});
    expect(ofShed.mock.calls).toEqual([[OVERLOAD]]);
  });

  it('waits for its turn where there is no room for it', async () => {
    const { paces, entrance, arrival } = setUp({ hasRoom: false });
    await expect(entrance.admit(arrival, async () => {})).rejects.toMatchObject({
      dependency: 'overload',
    });
    expect(paces.project.slot).toHaveBeenCalledExactlyOnceWith(arrival.deadline);
    expect(paces.unproven.slot).not.toHaveBeenCalled();
  });

  it.each([
    ['whose body does not arrive', new UnavailableError('caller', 'late')],
    ['whose body is not valid', invalidRequest('no')],
  ])('is not renewed by a call %s, which proves nothing', async (_, error) => {
    const { proven, entrance, arrival } = setUp();
    await expect(entrance.admit(arrival, failing(error))).rejects.toBe(error);
    expect(proven.renew).not.toHaveBeenCalled();
    expect(proven.forget).not.toHaveBeenCalled();
  });

  it('is forgotten once a lookup finds the secret wrong', async () => {
    const { proof, proven, reportRefusal, entrance, arrival } = setUp();
    await expect(entrance.admit(arrival, failing(unauthorized()))).rejects.toMatchObject({
      code: 'unauthorized',
    });
    expect(proven.forget.mock.calls).toEqual([[proof]]);
    expect(reportRefusal.mock.calls).toEqual([['wrong_secret', arrival, PROJECT_ID]]);
    expect(proven.renew).not.toHaveBeenCalled();
  });
});

describe('a call whose secret is not proven', () => {
  it('waits for the proof before it takes a place, and is then answered', async () => {
    const { proof, proven, admission, entrance, arrival } = setUp({ isProven: false });
    proven.prove.mockImplementation(async () => {
      expect(admission.admit).not.toHaveBeenCalled();
      return proof;
    });
    expect(await entrance.admit(arrival, async () => 'answer')).toBe('answer');
    const [[caller, peer] = []] = proven.prove.mock.calls as unknown[][];
    expect([caller, peer]).toEqual([
      { projectId: PROJECT_ID, secretDigest: digestOf('secret') },
      'a peer',
    ]);
  });

  it.each([
    ['is wrong', {}],
    ['is missing', { secret: '' }],
    ['names no project', { projectId: 'x' }],
  ])('takes no place, and waits for a turn of its own, where the secret %s', async (_, change) => {
    const { admission, paces, entrance, arrival, proven } = setUp({ isProven: false });
    await expect(
      entrance.admit({ ...arrival, ...change }, async () => 'answer'),
    ).rejects.toMatchObject({ name: 'TransportError' });
    expect(admission.admit).not.toHaveBeenCalled();
    expect(paces.unproven.slot).toHaveBeenCalledExactlyOnceWith(arrival.deadline);
    expect(paces.project.slot).not.toHaveBeenCalled();
    expect(proven.forget).not.toHaveBeenCalled();
  });

  it.each([
    ['a wrong secret', {}, 'wrong_secret', 'wrong_secret', PROJECT_ID],
    ['a project that does not exist', {}, 'unknown_project', 'unknown_project', undefined],
    ['no secret', { secret: '' }, 'wrong_secret', 'missing_secret', undefined],
    ['an ID that is no UUID', { projectId: 'x' }, 'wrong_secret', 'invalid_project_id', undefined],
  ] as const)(
    'is reported with what says who sent it, and the project if it exists: %s',
    async (_, change, found, problem, projectId) => {
      const { proven, reportRefusal, entrance, arrival } = setUp({ isProven: false });
      proven.prove.mockResolvedValue(found);
      const call = { ...arrival, ...change };
      await expect(entrance.admit(call, async () => {})).rejects.toThrow();
      expect(reportRefusal.mock.calls).toEqual([[problem, call, projectId]]);
    },
  );

  it('counts an outage against no project', async () => {
    const { proven, countFailure, entrance, arrival } = setUp({ isProven: false });
    proven.prove.mockRejectedValue(DATABASE_OUTAGE);
    await expect(entrance.admit(arrival, async () => {})).rejects.toBe(DATABASE_OUTAGE);
    expect(countFailure.mock.calls).toEqual([[null, DATABASE_OUTAGE]]);
  });
});
