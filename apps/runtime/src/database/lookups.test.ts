import type { LookupItem, LookupRow } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { type Lane, LOOKUP_LIMITS, type LookupLimits, Lookups } from './lookups.ts';

const PROJECT = '01960000-0000-7000-8000-000000000001';
const STRANGER = '01960000-0000-7000-8000-000000000002';

const keyOf = (projectId: string, number: number): LookupItem => {
  const apiKeyDigest = Buffer.alloc(32);
  apiKeyDigest.writeUInt32BE(number);
  return { projectId, apiKeyDigest };
};

/** A row that says which question it answers. */
const rowFor = ({ apiKeyDigest }: LookupItem): LookupRow => ({
  project: {
    secretDigest: apiKeyDigest ?? Buffer.alloc(32),
    previousSecretDigest: null,
    policyRevision: PROJECT,
    defaultKeyRateLimitPerMinute: null,
    loggedAllowsPercent: 1,
    isUnsampled: false,
    logsPaths: true,
  },
  subscription: null,
  apiKey: null,
  customer: null,
});

const afterThisTurn = () => new Promise((resolve) => setImmediate(resolve));
const inTime = () => new Deadline(10_000);

/** A lane whose answers are given by hand, so that a test holds a statement in flight. */
class HeldLane implements Lane {
  isUp = true;
  lookups: Lookups | null = null;
  readonly sent: { items: readonly LookupItem[] }[] = [];
  readonly #held: ((answers: (LookupRow | Error)[]) => void)[] = [];

  get isIdle(): boolean {
    return this.isUp && this.#held.length === 0;
  }

  async run(items: readonly LookupItem[]): Promise<(LookupRow | Error)[]> {
    this.sent.push({ items });
    const answers = await new Promise<(LookupRow | Error)[]>((resolve) => {
      this.#held.push(resolve);
    });
    this.#held.shift();
    this.lookups?.schedule();
    return answers;
  }

  /** Answers the statement that is in flight; returns once the next one has been sent. */
  async answer(
    answers: (LookupRow | Error)[] = this.sent.at(-1)?.items.map(rowFor) ?? [],
  ): Promise<void> {
    this.#held[0]?.(answers);
    await afterThisTurn();
    await afterThisTurn();
  }
}

function setUp(limits: Partial<LookupLimits> = {}, laneCount = 1) {
  const lanes = Array.from({ length: laneCount }, () => new HeldLane());
  const lookups = new Lookups(lanes, { ...LOOKUP_LIMITS, ...limits });
  for (const lane of lanes) lane.lookups = lookups;
  const lane = lanes[0];
  if (lane === undefined) throw new RangeError('no lane');
  return { lookups, lane, lanes };
}

/** What became of a question, without an unhandled rejection meanwhile. */
const outcomeOf = (answer: Promise<LookupRow>): Promise<LookupRow | Error> =>
  answer.catch((error: unknown) => {
    if (error instanceof Error) return error;
    throw error;
  });

describe('a shared round trip', () => {
  it('is one statement for the questions of one turn of the event loop', async () => {
    const { lookups, lane } = setUp();
    const answers = [1, 2, 3].map((n) => lookups.find(keyOf(PROJECT, n), inTime()));
    expect(lane.sent).toHaveLength(0);
    await afterThisTurn();
    expect(lane.sent.map(({ items }) => items)).toEqual([[1, 2, 3].map((n) => keyOf(PROJECT, n))]);
    await lane.answer();
    expect(await Promise.all(answers)).toEqual([1, 2, 3].map((n) => rowFor(keyOf(PROJECT, n))));
  });

  it('never answers a question that arrived after the statement was sent (rule fresh-lookup)', async () => {
    const { lookups, lane } = setUp();
    const early = lookups.find(keyOf(PROJECT, 1), inTime());
    await afterThisTurn();
    const late = lookups.find(keyOf(PROJECT, 1), inTime());
    await afterThisTurn();
    expect(lane.sent).toHaveLength(1);

    await lane.answer([{ ...rowFor(keyOf(PROJECT, 1)), project: null }]);
    expect((await early).project).toBeNull();
    expect(lane.sent).toHaveLength(2);
    await lane.answer();
    expect((await late).project).not.toBeNull();
  });

  it('looks up equal questions once, and answers each of them', async () => {
    const { lookups, lane } = setUp();
    const same = [1, 1, 1].map((n) => lookups.find(keyOf(PROJECT, n), inTime()));
    const other = lookups.find(keyOf(STRANGER, 1), inTime());
    const projectAlone = lookups.find({ projectId: PROJECT, apiKeyDigest: null }, inTime());
    await afterThisTurn();
    expect(lane.sent[0]?.items).toEqual([
      keyOf(PROJECT, 1),
      keyOf(STRANGER, 1),
      { projectId: PROJECT, apiKeyDigest: null },
    ]);
    await lane.answer();
    expect(await Promise.all(same)).toHaveLength(3);
    expect((await other).project?.secretDigest).toEqual(keyOf(STRANGER, 1).apiKeyDigest);
    expect((await projectAlone).project?.secretDigest).toEqual(Buffer.alloc(32));
  });

  it('has at most 256 items, the oldest first (rule bounded-lookups)', async () => {
    const { lookups, lane } = setUp();
    const answers = Array.from({ length: 600 }, (_, n) =>
      lookups.find(keyOf(PROJECT, n), inTime()),
    );
    await afterThisTurn();
    for (const expected of [256, 256, 88]) {
      expect(lane.sent.at(-1)?.items).toHaveLength(expected);
      await lane.answer();
    }
    expect(lane.sent.flatMap(({ items }) => items)).toEqual(
      Array.from({ length: 600 }, (_, n) => keyOf(PROJECT, n)),
    );
    expect(await Promise.all(answers)).toHaveLength(600);
  });

  it('uses every idle lane, and none that is down', async () => {
    const { lookups, lanes } = setUp({ maxBatch: 2 }, 3);
    const [first, down, third] = lanes;
    if (down === undefined) throw new RangeError('no lane');
    down.isUp = false;
    for (const n of [1, 2, 3, 4]) void lookups.find(keyOf(PROJECT, n), inTime());
    await afterThisTurn();
    expect([first, down, third].map((lane) => lane?.sent.length)).toEqual([1, 0, 1]);
  });
});

describe('a bounded queue', () => {
  it('rejects the questions above a project’s cap, and serves the other projects', async () => {
    const { lookups, lane } = setUp({ maxWaitingPerProject: 2 });
    const held = [1, 2].map((n) => lookups.find(keyOf(PROJECT, n), inTime()));
    const refused = await outcomeOf(lookups.find(keyOf(PROJECT, 3), inTime()));
    expect(refused).toMatchObject({ name: 'UnavailableError', dependency: 'overload' });

    const stranger = lookups.find(keyOf(STRANGER, 1), inTime());
    await afterThisTurn();
    await lane.answer();
    expect(await Promise.all([...held, stranger])).toHaveLength(3);
  });

  it('counts every waiting request, including those with an equal question', async () => {
    const { lookups } = setUp({ maxWaiting: 2 });
    for (const n of [1, 1]) void lookups.find(keyOf(PROJECT, n), inTime());
    expect(await outcomeOf(lookups.find(keyOf(STRANGER, 1), inTime()))).toMatchObject({
      dependency: 'overload',
    });
  });

  it('accepts questions again when earlier ones have left the queue', async () => {
    const { lookups, lane } = setUp({ maxWaiting: 1, maxWaitingPerProject: 1 });
    for (let round = 0; round < 3; round += 1) {
      const answer = lookups.find(keyOf(PROJECT, round), inTime());
      await afterThisTurn();
      await lane.answer();
      expect(await answer).toEqual(rowFor(keyOf(PROJECT, round)));
    }
  });

  it('answers an item after its deadline without sending it (rule bounded-lookups)', async () => {
    const { lookups, lane } = setUp();
    const first = lookups.find(keyOf(PROJECT, 1), inTime());
    await afterThisTurn();
    let now = 0;
    const expired = outcomeOf(lookups.find(keyOf(PROJECT, 2), new Deadline(100, () => now)));
    const patient = lookups.find(keyOf(PROJECT, 2), inTime());
    const alsoExpired = outcomeOf(lookups.find(keyOf(PROJECT, 3), new Deadline(100, () => now)));
    now = 100;
    await lane.answer();
    expect(await first).toEqual(rowFor(keyOf(PROJECT, 1)));
    expect(await expired).toBeInstanceOf(UnavailableError);
    expect(await alsoExpired).toBeInstanceOf(UnavailableError);
    expect(lane.sent[1]?.items).toEqual([keyOf(PROJECT, 2)]);
    await lane.answer();
    expect(await patient).toEqual(rowFor(keyOf(PROJECT, 2)));
  });
});

describe('an error', () => {
  it('of an invalid item fails that item alone (rule poisoned-item)', async () => {
    const { lookups, lane } = setUp();
    const answers = [1, 2, 3].map((n) => outcomeOf(lookups.find(keyOf(PROJECT, n), inTime())));
    await afterThisTurn();
    const poison = new UnavailableError('database', 'the lookup failed');
    await lane.answer([rowFor(keyOf(PROJECT, 1)), poison, rowFor(keyOf(PROJECT, 3))]);
    expect(await Promise.all(answers)).toEqual([
      rowFor(keyOf(PROJECT, 1)),
      poison,
      rowFor(keyOf(PROJECT, 3)),
    ]);
  });

  it('for an item without an answer is an outage, never an unknown key (rule fresh-lookup)', async () => {
    const { lookups, lane } = setUp();
    const answers = [1, 2].map((n) => outcomeOf(lookups.find(keyOf(PROJECT, n), inTime())));
    await afterThisTurn();
    await lane.answer([rowFor(keyOf(PROJECT, 1))]);
    expect(await answers[0]).toEqual(rowFor(keyOf(PROJECT, 1)));
    expect(await answers[1]).toBeInstanceOf(UnavailableError);
  });

  it('is immediate while no lane is up, also for requests that already waited', async () => {
    const { lookups, lane } = setUp();
    const first = outcomeOf(lookups.find(keyOf(PROJECT, 1), inTime()));
    await afterThisTurn();
    const waiting = outcomeOf(lookups.find(keyOf(PROJECT, 2), inTime()));
    lane.isUp = false;
    await lane.answer([new UnavailableError('database', 'connection lost')]);
    expect(await first).toBeInstanceOf(UnavailableError);
    expect(await waiting).toMatchObject({ dependency: 'database' });
    expect(await outcomeOf(lookups.find(keyOf(PROJECT, 3), inTime()))).toMatchObject({
      dependency: 'database',
    });
    expect(lane.sent).toHaveLength(1);
  });
});
