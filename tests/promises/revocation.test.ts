import { afterAll, beforeAll, expect, it } from 'vitest';
import { KINDS, proveRevocation } from '../chaos/proofs/revocation.ts';
import { proveTriggersOff } from '../chaos/proofs/triggers-off.ts';
import { prove } from '../chaos/support/prove.ts';
import { size } from '../chaos/support/size.ts';
import {
  type Node,
  openSharedStage,
  PATIENT,
  type Stage,
  startTwoNodes,
} from '../chaos/support/stage.ts';

let stage: Stage;
let nodes: [Node, Node];
beforeAll(async () => {
  stage = await openSharedStage();
  nodes = await startTwoNodes(stage, { settings: PATIENT });
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
  await stage.close();
});

it.each(KINDS)(
  'another Runtime denies on the very next decision, under load, when %s',
  async (kind) => {
    const times = size.revocationsOfEachKind;
    const figures = await prove(`revocation: ${kind}`, (random) =>
      proveRevocation(stage, nodes, kind, times, random),
    );
    expect(figures.changes).toBe(times);
  },
);

it('a Runtime denies within five seconds when a policy is removed with triggers off', async () => {
  const times = size.isFull ? 5 : 1;
  const figures = await prove('revocation: triggers are off', () =>
    proveTriggersOff(stage, nodes[1], times),
  );
  expect(figures.rounds).toBe(times);
});
