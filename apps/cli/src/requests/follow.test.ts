import { describe, expect, it } from 'vitest';
import { throughOutages } from './follow.ts';

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
