import { afterAll, beforeAll, expect, it } from 'vitest';
import { proveLongPolicyList } from './proofs/long-policy-list.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { openSharedStage, type Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openSharedStage();
});
afterAll(() => stage.close());

it('a long list of policies that changes delays no decision of others for long', async () => {
  const figures = await prove('neighbours: a long list of policies', () =>
    proveLongPolicyList(stage, size.isFull ? 20 : 5),
  );
  expect(figures.othersAllowed).toBeGreaterThan(0);
});
