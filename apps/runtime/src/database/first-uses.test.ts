import { describe, expect, it, vi } from 'vitest';
import { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';
import { FirstUses } from './first-uses.ts';

const soon = () => new Deadline(200);
const never = () => new Promise<never>(() => {});

function writers() {
  return {
    writeAtOnce: vi.fn(async (_: readonly string[]): Promise<string[]> => []),
    writeOne: vi.fn(async (_: string): Promise<void> => {}),
  };
}

describe('the first uses of keys', () => {
  it('share the statement that follows the one under way', async () => {
    const { writeAtOnce, writeOne } = writers();
    const uses = new FirstUses({ writeAtOnce, writeOne });
    const first = uses.record('a', soon());
    await Promise.resolve(); // a's statement is under way
    await Promise.all([first, uses.record('b', soon()), uses.record('c', soon())]);
    expect(writeAtOnce.mock.calls).toEqual([[['a']], [['b', 'c']]]);
    expect(writeOne).not.toHaveBeenCalled();
  });

  it('wait for a lock only on their own row', async () => {
    const { writeAtOnce } = writers();
    writeAtOnce.mockImplementation(async (ids) => ids.filter((id) => id === 'locked'));
    const uses = new FirstUses({ writeAtOnce, writeOne: never });
    const locked = uses.record('locked', soon());
    await expect(uses.record('free', soon())).resolves.toBeUndefined();
    await expect(uses.record('another', soon())).resolves.toBeUndefined();
    await expect(locked).rejects.toThrow(UnavailableError);
  });

  it('are each written alone when Postgres rejects the statement', async () => {
    const { writeAtOnce, writeOne } = writers();
    writeAtOnce.mockRejectedValue(new Error('one of them cannot be written'));
    writeOne.mockImplementation(async (id) => {
      if (id === 'bad') throw new Error('this one');
    });
    const uses = new FirstUses({ writeAtOnce, writeOne });
    const outcomes = ['good', 'bad', 'fine'].map((id) => uses.record(id, soon()));
    expect((await Promise.allSettled(outcomes)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
  });

  it('fail together when Postgres is unreachable, and work again afterwards', async () => {
    const { writeAtOnce, writeOne } = writers();
    writeAtOnce.mockRejectedValueOnce(new UnavailableError('database', 'gone'));
    const uses = new FirstUses({ writeAtOnce, writeOne });
    const outcomes = await Promise.allSettled([uses.record('a', soon()), uses.record('b', soon())]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(writeOne).not.toHaveBeenCalled();
    await expect(uses.record('a', soon())).resolves.toBeUndefined();
  });

  it('of the same key need one write', async () => {
    const { writeOne } = writers();
    const uses = new FirstUses({ writeAtOnce: async (ids) => [...ids], writeOne });
    await Promise.all([uses.record('a', soon()), uses.record('a', soon())]);
    expect(writeOne.mock.calls).toEqual([['a']]);
  });
});
