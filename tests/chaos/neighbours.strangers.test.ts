import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KINDS, proveStrangers } from './proofs/strangers.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { openSharedStage, type Stage } from './support/stage.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openSharedStage();
});
afterAll(() => stage.close());

describe('200 strangers who name a project take no place of it, and count no failure against it', () => {
  it.each(KINDS)('with calls that are %s', async (kind) => {
    const figures = await prove(`strangers: ${kind}`, () =>
      proveStrangers(stage, kind, size.strangersRounds),
    );
    expect(figures.ownCalls).toBeGreaterThan(0);
  });
});
