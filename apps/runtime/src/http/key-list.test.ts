import { SerialQueue } from '@ceiba/process/tasks';
import { InvalidInputError } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../deadline.ts';
import type { KeyListCall } from './key-list.ts';
import { listAllKeys } from './key-list.ts';

const PROJECT_ID = 'a534c061-d7af-454f-96bf-0ab45f9e6c96';
const key = (apiKeyId: string) => ({ apiKeyId });
const FULL_PAGE = Array.from({ length: 500 }, (_, index) => key(`key ${index}`));

/** A call that reads these pages in order; without one left, no key has the cursor. */
function callFor(pageReads: SerialQueue, pages: object[][], deadlineMs = 60_000) {
  const left = [...pages];
  const run = async () => {
    const items = left.shift();
    if (items === undefined) throw new InvalidInputError([{ field: 'cursor', rule: 'is gone' }]);
    return { items, next: items === FULL_PAGE ? 'after.1' : null };
  };
  const deadline = new Deadline(deadlineMs);
  return { run, deadline, projectId: PROJECT_ID, pageReads } as unknown as KeyListCall;
}

describe('a list of keys', () => {
  it('waits for the other lists from its second page on, not for its first', async () => {
    const queue = new SerialQueue();
    let goOn = () => {};
    const held = queue.run(() => new Promise<void>((resolve) => (goOn = resolve)));
    expect(await listAllKeys(callFor(queue, [[key('a')]]))).toMatchObject({
      text: '{"apiKeys":[{"apiKeyId":"a"}]}',
    });
    let isDone = false;
    const long = listAllKeys(callFor(queue, [FULL_PAGE, [key('last')]])).finally(() => {
      isDone = true;
    });
    await new Promise(setImmediate);
    expect(isDone).toBe(false);
    goOn();
    await held;
    expect(JSON.parse((await long).text).apiKeys).toHaveLength(501);
  });

  it('waits in the queue no longer than its deadline', async () => {
    const queue = new SerialQueue();
    void queue.run(() => new Promise(() => {}));
    await expect(listAllKeys(callFor(queue, [FULL_PAGE, []], 300))).rejects.toMatchObject({
      dependency: 'overload',
    });
  });

  it('is not cut short when its project is deleted meanwhile', async () => {
    await expect(listAllKeys(callFor(new SerialQueue(), [FULL_PAGE]))).rejects.toMatchObject({
      code: 'unauthorized',
    });
  });
});
