import type { LoggedDecision } from '@ceiba/contract';
import { describe, expect, it } from 'vitest';
import { newDecisions, throughOutages } from './follow.ts';

const outage = () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });

describe('following through an outage', () => {
  it('reads nothing, reports it once, and goes on when Postgres answers again', async () => {
    const answers = [outage(), outage(), null, outage(), null];
    const said: string[] = [];
    const read = throughOutages(
      async () => {
        const error = answers.shift();
        if (error) throw error;
        return [];
      },
      (message) => said.push(message),
    );
    for (let run = 0; run < 5; run += 1) expect(await read(undefined)).toEqual([]);
    expect(said).toEqual([
      'Postgres does not answer: trying again until it does.',
      'Postgres answers again.',
      'Postgres does not answer: trying again until it does.',
      'Postgres answers again.',
    ]);
  });

  it('ends with any other error', async () => {
    const read = throughOutages(
      async () => {
        throw new TypeError('a bug');
      },
      () => {},
    );
    await expect(read(undefined)).rejects.toThrow('a bug');
  });
});

it('following shows what is new, and never what the limit of the first list left out', async () => {
  const at = (second: number) => ({
    decisionId: `decision ${second}`,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  });
  const log = [1, 2, 3].map(at);
  const read = async (from = '') =>
    log.filter((decision) => decision.at >= from) as LoggedDecision[];
  const end = new AbortController();
  const following = newDecisions([at(3)] as LoggedDecision[], read, end.signal);
  const next = following.next();
  // The first reading is over in the next iteration of the event loop; what is written later is new.
  await new Promise(setImmediate);
  log.push(at(4));
  expect((await next).value).toEqual([at(4)]);
  end.abort();
  expect((await following.next()).done).toBe(true);
});
