import { expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

it('a deadline that ended a wait is past, whatever its clock shows', async () => {
  const deadline = new Deadline(1, () => 0);
  await expect(deadline.race('database', new Promise(() => {}))).rejects.toMatchObject({
    dependency: 'database',
  });
  expect(deadline.isPast).toBe(true);
});
