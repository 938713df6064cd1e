import { DatabaseUnavailableError } from '@ceiba/schema';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { IDLE } from '../lib/action-state.ts';
import { publicAction } from './action.ts';
import { csvResponse } from './csv.ts';
import { dataRoute } from './data-route.ts';
import { unlessTooSlow, withDatabase, withSlowDatabase } from './database.ts';

const world = vi.hoisted(() => ({ answers: true }));

vi.mock('server-only', () => ({}));
vi.mock('./log.ts', () => ({ log: { error: vi.fn() } }));
vi.mock('./project.ts', () => ({}));
vi.mock('./session-database.ts', () => ({}));
vi.mock('next/headers', () => ({ headers: async () => new Headers() }));
vi.mock('../env.ts', () => ({ env: () => ({ publicOrigin: 'http://x' }) }));
vi.mock('./origin.ts', () => ({ isOwnOrigin: () => true }));
vi.mock('./session.ts', () => ({}));
vi.mock('./in-database.ts', () => ({ inDatabaseAs: () => null }));
vi.mock('./current-share.ts', () => ({ currentShare: async () => 'user' }));
/** Work takes the time that it has. */
vi.mock('./pool.ts', () => ({
  Pool: class {
    constructor(
      _connections: number,
      readonly budgetMs: number,
    ) {}

    async run(work: (db: unknown) => unknown, budgetMs = this.budgetMs) {
      if (!world.answers) throw new DatabaseUnavailableError('connection refused');
      const late = async () => {
        await new Promise((resolve) => setTimeout(resolve, budgetMs));
        throw new DatabaseUnavailableError('no answer in time');
      };
      return budgetMs < 1_000 ? null : Promise.race([work(null), late()]);
    }
  },
}));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  world.answers = true;
});

/** A statement that takes longer than its call may. */
const slow = () => withSlowDatabase(() => new Promise((resolve) => setTimeout(resolve, 40_000)));

describe('a slow call without an answer in time', () => {
  it('took too long if it ran, and waited in vain if another one of its user did', async () => {
    const calls = [slow(), slow()].map((call) => call.catch(unlessTooSlow));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await Promise.all(calls)).toEqual(['too_slow', 'too_many']);
  });

  it('is an outage while the database does not answer', async () => {
    world.answers = false;
    await expect(slow().catch(unlessTooSlow)).rejects.toThrow('connection refused');
  });
});

describe('a route that is no page', () => {
  const ask = (work: () => Promise<unknown>) =>
    dataRoute(async () => Response.json(await work()))(new Request('http://x/csv'), {});

  it.each([
    ['narrow what it asks for', 0, 'This takes too long.'],
    ['wait for the other requests of its user', 1, 'Too many of your requests are under way.'],
  ])('answers 503 and says to %s', async (_, place, text) => {
    const answers = [ask(slow), ask(slow)];
    await vi.advanceTimersByTimeAsync(60_000);
    const answer = (await Promise.all(answers))[place];
    expect(answer?.status).toBe(503);
    expect(await answer?.text()).toContain(text);
  });

  it('answers 503 during an outage', async () => {
    world.answers = false;
    const answer = await ask(slow);
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('The database is not answering.');
  });

  it('does not hide an error of another kind', async () => {
    await expect(ask(() => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
  });
});

describe('an action', () => {
  const act = () =>
    publicAction({
      input: z.object({}),
      run: () => withDatabase(() => new Promise(() => {})),
    })(IDLE, new FormData());

  it('is refused as too slow where the database answers, and as an outage where it does not', async () => {
    const late = act();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await late).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('This takes too long.'),
    });
    world.answers = false;
    expect(await act()).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('The database is not answering.'),
    });
  });

  it('that waited in vain for the other calls of its user is refused for that', async () => {
    const late = [1, 2, 3, 4].map(act);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await Promise.all(late)).at(-1)).toMatchObject({ code: 'rate_limited' });
  });
});

describe('a CSV file', () => {
  const columns = { name: (name: string) => name };
  let ended = false;
  async function* pages(failing = false) {
    ended = false;
    try {
      yield ['a'];
      if (failing) throw new Error('lost');
      yield ['b', 'c'];
    } finally {
      ended = true;
    }
  }

  it('has its columns, then the rows of each page', async () => {
    const answer = await csvResponse('names', columns, pages());
    expect(await answer.text()).toBe('name\r\n"a"\r\n"b"\r\n"c"\r\n');
    expect(ended).toBe(true);
  });

  it('is aborted by an error after its first rows', async () => {
    const answer = await csvResponse('names', columns, pages(true));
    await expect(answer.text()).rejects.toThrow('lost');
  });

  it('whose download is canceled reads no further rows', async () => {
    const answer = await csvResponse('names', columns, pages());
    await answer.body?.cancel();
    expect(ended).toBe(true);
  });
});
