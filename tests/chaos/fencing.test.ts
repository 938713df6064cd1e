import { expect, it } from 'vitest';
import { proveFencing } from './proofs/fencing.ts';
import { prove } from './support/prove.ts';
import { openSharedStage } from './support/stage.ts';

it('no decision uses an old primary that was cut off, once its lease is over', async () => {
  const stage = await openSharedStage();
  try {
    const { questionsAfter } = await prove('fencing: the primary is cut off', () =>
      proveFencing(stage),
    );
    expect(questionsAfter).toBeGreaterThan(0);
  } finally {
    await stage.close();
  }
});
