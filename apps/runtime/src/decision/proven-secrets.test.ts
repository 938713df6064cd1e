import { digestOf } from '@ceiba/domain';
import type { LookupRow } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { ProvenSecrets } from './proven-secrets.ts';

const DEADLINE_MS = 10_000;
const MINUTE_MS = 60_000;
const PROJECT = 'a project';

/** Secrets, and lookups that wait until they are answered. */
function setUp() {
  const clock = { ms: 0 };
  const lookups: { projectId: string; answer(...secrets: string[]): Promise<void> }[] = [];
  const proven = new ProvenSecrets({
    find: ({ projectId, apiKeyDigest }) =>
      new Promise((resolve, reject) => {
        expect(apiKeyDigest).toBeNull();
        lookups.push({
          projectId,
          async answer(current, previous) {
            if (current === undefined) reject(new UnavailableError('database', 'away'));
            else {
              const previousSecretDigest = previous === undefined ? null : digestOf(previous);
              const project = { secretDigest: digestOf(current), previousSecretDigest };
              resolve({ project } as LookupRow);
            }
            await new Promise(setImmediate);
          },
        });
      }),
    deadlineMs: DEADLINE_MS,
    now: () => clock.ms,
  });
  const prove = (secret: string, projectId = PROJECT, peer = 'a peer', ms = DEADLINE_MS) =>
    proven.prove({ projectId, secretDigest: digestOf(secret) }, peer, new Deadline(ms));
  const find = (secret: string, projectId = PROJECT) =>
    proven.find({ projectId, secretDigest: digestOf(secret) });
  /** Proves it at once. */
  const proveNow = async (secret: string, projectId = PROJECT) => {
    const proof = prove(secret, projectId);
    await lookups.pop()?.answer(secret);
    return proof;
  };
  return { clock, proven, lookups, prove, find, proveNow };
}

describe('a secret', () => {
  it('is remembered by its digest alone, without the buffer that it was worked out in', async () => {
    const { proveNow, find } = setUp();
    await proveNow('right');
    expect(find('right')?.secretDigest).toEqual(digestOf('right'));
    expect(find('right')?.secretDigest.buffer.byteLength).toBe(32);
  });

  it('is proven by a lookup that finds it right, the previous one as well', async () => {
    const { lookups, prove, find } = setUp();
    expect(find('new')).toBeNull();
    const proofs = [prove('new'), prove('old')];
    await lookups[0]?.answer('new', 'old');
    await lookups[1]?.answer('new', 'old');
    expect(
      (await Promise.all(proofs)).map((proof) => typeof proof === 'object' && proof.projectId),
    ).toEqual([PROJECT, PROJECT]);
    expect(find('new')).not.toBeNull();
    expect(find('old')).not.toBeNull();
    expect(find('new', 'another project')).toBeNull();
  });

  it('that is wrong is never proven', async () => {
    const { lookups, prove, find, proven } = setUp();
    const proof = prove('wrong');
    await lookups[0]?.answer('right');
    expect(await proof).toBe('wrong_secret');
    expect(find('wrong')).toBeNull();
    expect(find('right')).toBeNull();
    expect(proven.size).toBe(0);
  });

  it('stays proven for five minutes after each decision, and no longer', async () => {
    const { clock, proven, find, proveNow } = setUp();
    const proof = await proveNow('right');
    clock.ms = 5 * MINUTE_MS - 1;
    expect(find('right')).toBe(proof);
    if (typeof proof === 'object') proven.renew(proof);
    clock.ms = 10 * MINUTE_MS - 2;
    expect(find('right')).toBe(proof);
    clock.ms = 10 * MINUTE_MS - 1;
    expect(find('right')).toBeNull();
  });

  it('that was found wrong is forgotten', async () => {
    const { proven, find, proveNow } = setUp();
    const proof = await proveNow('right');
    await proveNow('right', 'another project');
    if (typeof proof === 'object') proven.forget(proof);
    expect(find('right')).toBeNull();
    expect(find('right', 'another project')).not.toBeNull();
  });

  it('is one of at most 10,000: the one that was proven first makes room', async () => {
    const { proven, find, proveNow } = setUp();
    for (let n = 0; n <= 10_000; n += 1) await proveNow('right', `${n}`);
    expect(proven.size).toBe(10_000);
    expect(find('right', '0')).toBeNull();
    expect(find('right', '1')).not.toBeNull();
    expect(find('right', '10000')).not.toBeNull();
  });
});

describe('calls whose secret is not proven', () => {
  it('share at most 64 lookups, and those that name one project the next one', async () => {
    const { lookups, prove } = setUp();
    const proofs = Array.from({ length: 1_000 }, (_, n) => prove(n === 999 ? 'right' : 'wrong'));
    expect(lookups).toHaveLength(64);
    await lookups[0]?.answer('right');
    expect(lookups).toHaveLength(65);
    for (const lookup of lookups) await lookup.answer('right');
    const right = (await Promise.all(proofs)).filter((proof) => typeof proof === 'object');
    expect(right).toHaveLength(1);
  });

  it('are looked up after they arrived: a secret that is rotated in meanwhile is right', async () => {
    const { lookups, prove } = setUp();
    const early = prove('new');
    const late = prove('new');
    await lookups[0]?.answer('old');
    await lookups[1]?.answer('new');
    expect(await early).toBe('wrong_secret');
    expect(await late).toMatchObject({ projectId: PROJECT });
  });

  it('take turns by the address that they come from, however many projects one of them names', async () => {
    const { lookups, prove } = setUp();
    for (let n = 0; n < 5_000; n += 1) void prove('made up', `${n}`, 'a flood');
    const first = prove('right');
    await lookups[0]?.answer('another');
    await lookups[1]?.answer('another');
    expect(lookups.slice(64).map(({ projectId }) => projectId)).toEqual(['64', PROJECT]);
    await lookups[65]?.answer('right');
    expect(await first).toMatchObject({ projectId: PROJECT });
    for (const lookup of lookups) await lookup.answer('another');
  });

  it('are unavailable in an outage, which takes no place from the next ones', async () => {
    const { lookups, prove } = setUp();
    for (let n = 0; n < 200; n += 1) {
      const refused = expect(prove('right')).rejects.toMatchObject({ dependency: 'database' });
      await lookups.pop()?.answer();
      await refused;
    }
  });

  it('are answered by their deadline, and no lookup is sent for them after it', async () => {
    const { lookups, prove } = setUp();
    for (let n = 0; n < 64; n += 1) void prove('wrong', `${n}`);
    const late = prove('right', PROJECT, 'a peer', 1);
    await expect(late).rejects.toMatchObject({ dependency: 'overload' });
    for (const lookup of [...lookups]) await lookup.answer('right');
    expect(lookups).toHaveLength(64);
  });
});
