import { describe, expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import type { KeyListCall } from './key-list.ts';
import { listKeys, Turns } from './key-list.ts';

const PROJECT_ID = 'a534c061-d7af-454f-96bf-0ab45f9e6c96';
const key = (apiKeyId: string) => ({ apiKeyId });
const FULL_PAGE = Array.from({ length: 500 }, (_, index) => key(`key ${index}`));

/** A call whose pages are read from these, in order; one that is a promise keeps it waiting. */
function callFor(turns: Turns, pages: unknown[], deadlineMs = 60_000) {
  const left = [...pages];
  const run = async () => left.shift();
  const deadline = new Deadline(deadlineMs);
  return { run, deadline, projectId: PROJECT_ID, turns } as unknown as KeyListCall;
}

describe('a list of keys', () => {
  it('of one page waits for nobody, of more it waits for its turn', async () => {
    const turns = new Turns();
    let goOn = () => {};
    const held = turns.take(() => new Promise<void>((resolve) => (goOn = resolve)));
    expect(await listKeys(callFor(turns, [[key('a')]]))).toMatchObject({
      text: '{"apiKeys":[{"apiKeyId":"a"}]}',
    });
    let isDone = false;
    const long = listKeys(callFor(turns, [FULL_PAGE, [key('last')]])).finally(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    goOn();
    await held;
    expect(JSON.parse((await long).text).apiKeys).toHaveLength(501);
  });

  it('waits for its turn no longer than its deadline', async () => {
    const turns = new Turns();
    void turns.take(() => new Promise(() => {}));
    await expect(listKeys(callFor(turns, [FULL_PAGE, []], 300))).rejects.toMatchObject({
      dependency: 'overload',
    });
  });

  it('whose project goes while it is read is no shorter list', async () => {
    await expect(listKeys(callFor(new Turns(), [FULL_PAGE, null]))).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});
