import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { haproxy } from '../support/haproxy.ts';
import { proveStandbyIsNotAsked } from './proofs/standby.ts';
import { prove } from './support/prove.ts';
import { size } from './support/size.ts';
import { ARRANGEMENTS, openStandbyStage, type StandbyStage } from './support/standby-stage.ts';

let stage: StandbyStage;
beforeAll(async () => {
  stage = await openStandbyStage();
});
afterAll(() => stage.close());

describe('no decision uses a standby that lags, with', () => {
  for (const arrangement of ARRANGEMENTS) {
    const isMissing = arrangement.startsWith('HAProxy') && haproxy === undefined;
    it.skipIf(isMissing)(arrangement, async () => {
      const figures = await prove(`standby: ${arrangement}`, () =>
        proveStandbyIsNotAsked(stage, arrangement, size.faultsOfEachKind),
      );
      expect(figures.rounds).toBe(size.faultsOfEachKind);
    });
  }
});
