import { AsyncLocalStorage } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AuthorizeExchanges, Question } from './authorize-exchanges.ts';
import { type Answer, QUESTION_BYTES_MAX } from './batch.ts';
import { Coalescer, IN_FLIGHT_MAX, ONE_BY_ONE_MS, WAIT_MS_MAX } from './coalescer.ts';
import { RuntimeTransportError } from './errors.ts';
import { keepContext } from './platform.ts';
import { allowDecision, denyDecision } from './testing.ts';
import type { Decision } from './types.ts';

/** An exchange that the coalescer began, which the test ends. */
interface Sent {
  readonly kind: 'one' | 'batch';
  readonly questions: readonly Question[];
  readonly signal: AbortSignal | undefined;
  /** The request in whose asynchronous context it left: a tracer takes the parent from there. */
  readonly leftIn: string | undefined;
  answer(answers: readonly Answer[] | null): Promise<void>;
}

const request = new AsyncLocalStorage<string>();
let sent: Sent[];
let clock: number;
let coalescer: Coalescer;

/** Lets all promises that are ready run. */
const settle = () => vi.advanceTimersByTimeAsync(0);

const exchanges: AuthorizeExchanges = {
  one: (question) =>
    new Promise((resolve, reject) => {
      const answer = async (answers: readonly Answer[] | null) => {
        const [first] = answers ?? [];
        if (first && 'decision' in first) resolve(first.decision);
        else reject(first?.error);
        await settle();
      };
      const leftIn = request.getStore();
      sent.push({ kind: 'one', questions: [question], signal: question.signal, leftIn, answer });
    }),
  batch: (questions, signal) =>
    new Promise((resolve) => {
      const answer = async (answers: readonly Answer[] | null) => {
        resolve(answers);
        await settle();
      };
      sent.push({ kind: 'batch', questions, signal, leftIn: request.getStore(), answer });
    }),
};

beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  clock = 0;
  coalescer = new Coalescer(exchanges, keepContext, () => clock);
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const question = (json: string, changes: Partial<Question> = {}): Question => ({
  json,
  timeoutMs: 1_000,
  signal: undefined,
  ...changes,
});
const allow = (decisionId = 'd'): Answer => ({ decision: allowDecision({ decisionId }) });
const failed = (): Answer => ({ error: new RuntimeTransportError('unreachable', 'lost') });

/** The decision's id, or how the question failed. */
async function outcomeOf(decision: Promise<Decision>): Promise<string | null> {
  try {
    return (await decision).decisionId;
  } catch (error) {
    return RuntimeTransportError.is(error) ? error.failure : String(error);
  }
}

/** Asks without waiting for the answer. */
function ask(json: string, changes?: Partial<Question>): Promise<string | null> {
  return outcomeOf(coalescer.ask(question(json, changes)));
}

/** Fills every place in flight with a question of its own. */
function occupy(): Promise<string | null>[] {
  return Array.from({ length: IN_FLIGHT_MAX }, (_, index) => ask(`busy ${index}`));
}

/** What was sent after the exchanges that keep the places. */
const later = () => sent.slice(IN_FLIGHT_MAX).map(textsOf);
const textsOf = ({ kind, questions }: Sent) => [kind, ...questions.map(({ json }) => json)];

/** Ends every exchange, so that no timer is left. */
async function endAll(): Promise<void> {
  for (let index = 0; index < sent.length; index += 1) {
    await sent[index]?.answer(sent[index]?.questions.map(() => allow()) ?? []);
  }
}

describe('a question of a trace', () => {
  const traceOf = (flags: string) => ({
    trace: { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}` },
  });

  it('that is sampled leaves at once and alone, however many are in flight', async () => {
    occupy();
    ask('sampled', traceOf('01'));
    expect(later()).toEqual([['one', 'sampled']]);
    await endAll();
  });

  it('that is not sampled shares a request, as one without a trace does', async () => {
    occupy();
    ask('unsampled', traceOf('00'));
    ask('untraced');
    expect(later()).toEqual([]);
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['batch', 'unsampled', 'untraced']]);
    await endAll();
  });
});

it('an exchange leaves in the context of a question in it, not of the one that just ended', async () => {
  request.run('a', occupy);
  for (const name of ['b', 'c']) request.run(name, () => ask(name));
  await sent[0]?.answer([allow()]);
  expect(later()).toEqual([['batch', 'b', 'c']]);
  await sent.at(-1)?.answer(null);
  expect(later().slice(1)).toEqual([
    ['one', 'b'],
    ['one', 'c'],
  ]);
  expect(sent.slice(IN_FLIGHT_MAX).map(({ leftIn }) => leftIn)).toEqual(['b', 'b', 'c']);
  await endAll();
});

describe('a question', () => {
  it('leaves at once and unchanged while fewer than four exchanges are in flight', async () => {
    const asked = Array.from({ length: 4 }, (_, index) => question(`q${index}`));
    const outcomes = asked.map((each) => outcomeOf(coalescer.ask(each)));
    expect(sent.map(({ kind }) => kind)).toEqual(['one', 'one', 'one', 'one']);
    expect(sent.map(({ questions }) => questions[0])).toEqual(asked);
    await sent[0]?.answer([allow('first')]);
    expect(await outcomes[0]).toBe('first');
    await sent[1]?.answer([failed()]);
    expect(await outcomes[1]).toBe('unreachable');
    ask('q4');
    ask('q5');
    expect(sent).toHaveLength(6);
    await endAll();
  });

  it('waits while four exchanges are in flight, and then shares the next batch, in order', async () => {
    occupy();
    const answers = ['a', 'b', 'c'].map((json) => ask(json));
    expect(later()).toEqual([]);
    await sent[2]?.answer([allow()]);
    expect(later()).toEqual([['batch', 'a', 'b', 'c']]);
    const denial = denyDecision('revoked_api_key');
    await sent[4]?.answer([allow('for a'), failed(), { decision: { ...denial, decisionId: 'c' } }]);
    expect(await Promise.all(answers)).toEqual(['for a', 'unreachable', 'c']);
    await endAll();
  });

  it('that waits by itself leaves as a plain question', async () => {
    occupy();
    const [first, second] = [ask('a'), ask('b')];
    await sent[0]?.answer([failed()]);
    expect(later()).toEqual([['batch', 'a', 'b']]);
    const third = ask('c');
    await sent[1]?.answer([allow()]);
    expect(later()[1]).toEqual(['one', 'c']);
    await sent[5]?.answer([allow('for c')]);
    expect(await third).toBe('for c');
    await sent[4]?.answer([allow('for a'), allow('for b')]);
    expect(await Promise.all([first, second])).toEqual(['for a', 'for b']);
    await endAll();
  });

  it('shares a batch with at most 63 others', async () => {
    occupy();
    for (let index = 0; index < 100; index += 1) ask(`q${index}`);
    await sent[0]?.answer([allow()]);
    expect(later().map((texts) => texts.length - 1)).toEqual([64]);
    await sent[1]?.answer([allow()]);
    expect(later().map((texts) => texts.length - 1)).toEqual([64, 36]);
    expect(later()[1]?.slice(1, 3)).toEqual(['q64', 'q65']);
    await endAll();
  });

  it('waits no longer than 20 ms when no exchange ends', async () => {
    occupy();
    for (let index = 0; index < 65; index += 1) ask(`q${index}`);
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX - 1);
    expect(later()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(later().map((texts) => texts.length - 1)).toEqual([64, 1]);
    ask('next');
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
    expect(later().at(-1)).toEqual(['one', 'next']);
    await endAll();
  });

  it('waits no longer than 20 ms after all others that waited were cancelled', async () => {
    occupy();
    const controller = new AbortController();
    ask('cancelled', { signal: controller.signal });
    controller.abort();
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
    ask('a');
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
    expect(later()).toEqual([['one', 'a']]);
    await endAll();
  });

  it('waits while more than four exchanges are in flight', async () => {
    occupy();
    ask('a');
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
    ask('b');
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['one', 'a']]);
    await sent[1]?.answer([allow()]);
    expect(later()).toEqual([
      ['one', 'a'],
      ['one', 'b'],
    ]);
    await endAll();
  });

  it('leaves at once when it is too large to share a batch', async () => {
    occupy();
    const fits = 'x'.repeat(QUESTION_BYTES_MAX);
    ask(fits);
    expect(later()).toEqual([]);
    ask(`${fits}x`);
    ask('é'.repeat(QUESTION_BYTES_MAX / 2 + 1));
    expect(later().map(([kind]) => kind)).toEqual(['one', 'one']);
    await endAll();
  });
});

describe('the deadline of a question', () => {
  it('counts from the moment in which it was asked, and ends the wait', async () => {
    occupy();
    const hasty = ask('hasty', { timeoutMs: 10 });
    ask('patient');
    await vi.advanceTimersByTimeAsync(9);
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['batch', 'hasty', 'patient']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await hasty).toBe('timeout');
    await endAll();
  });

  it('removes it from the queue, unsent', async () => {
    occupy();
    const hasty = ask('hasty', { timeoutMs: 10 });
    await vi.advanceTimersByTimeAsync(10);
    expect(await hasty).toBe('timeout');
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([]);
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
    expect(later()).toEqual([]);
    await endAll();
  });

  it('fails it alone: the others of its batch get their answers', async () => {
    occupy();
    const hasty = ask('hasty', { timeoutMs: 50 });
    const patient = ask('patient');
    await sent[0]?.answer([allow()]);
    await vi.advanceTimersByTimeAsync(50);
    expect(await hasty).toBe('timeout');
    expect(sent[4]?.signal?.aborted).toBe(false);
    await sent[4]?.answer([allow('late'), allow('in time')]);
    expect(await patient).toBe('in time');
    await endAll();
  });

  it('ends the exchange when no question of it is left, with the error of the last one', async () => {
    occupy();
    ask('a', { timeoutMs: 50 });
    ask('b', { timeoutMs: 60 });
    await sent[0]?.answer([allow()]);
    await vi.advanceTimersByTimeAsync(59);
    expect(sent[4]?.signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent[4]?.signal?.aborted).toBe(true);
    expect(sent[4]?.signal?.reason).toMatchObject({ error: { failure: 'timeout' } });
    await endAll();
  });
});

describe('the signal of a question', () => {
  it('that has already fired fails it at once', async () => {
    occupy();
    expect(await ask('a', { signal: AbortSignal.abort() })).toBe('aborted');
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([]);
    await endAll();
  });

  it('removes it from the queue, unsent', async () => {
    occupy();
    const controller = new AbortController();
    const cancelled = ask('cancelled', { signal: controller.signal });
    ask('other');
    controller.abort();
    expect(await cancelled).toBe('aborted');
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['one', 'other']]);
    await endAll();
  });

  it('fails it alone in a batch, and ends the exchange with the last one', async () => {
    occupy();
    const [first, second] = [new AbortController(), new AbortController()];
    const cancelled = ask('a', { signal: first.signal });
    ask('b', { signal: second.signal });
    await sent[0]?.answer([allow()]);
    first.abort();
    expect(await cancelled).toBe('aborted');
    expect(sent[4]?.signal?.aborted).toBe(false);
    second.abort();
    expect(sent[4]?.signal?.reason).toMatchObject({ error: { failure: 'aborted' } });
    await endAll();
  });

  it('ends the exchange of a plain question that has waited', async () => {
    occupy();
    const controller = new AbortController();
    ask('a', { signal: controller.signal });
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['one', 'a']]);
    controller.abort();
    expect(sent[4]?.signal?.aborted).toBe(true);
    await endAll();
  });

  it('has no listener left after the answer', async () => {
    occupy();
    const { signal } = new AbortController();
    ask('a', { signal });
    ask('b', { signal });
    await sent[0]?.answer([allow()]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(2);
    await endAll();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('where batches are not served', () => {
  /** Sends a batch of a, b and c, of which b is gone when the answer arrives. */
  async function refuseBatch() {
    occupy();
    const controller = new AbortController();
    const answers = [ask('a'), ask('b', { signal: controller.signal }), ask('c')];
    await sent[0]?.answer([allow()]);
    controller.abort();
    return answers;
  }

  it('the questions of the batch are sent one by one, except those that are gone', async () => {
    const answers = await refuseBatch();
    await sent[4]?.answer(null);
    expect(later().slice(1)).toEqual([
      ['one', 'a'],
      ['one', 'c'],
    ]);
    await sent[5]?.answer([allow('for a')]);
    await sent[6]?.answer([failed()]);
    expect(await Promise.all(answers)).toEqual(['for a', 'aborted', 'unreachable']);
    await endAll();
  });

  it('keeps the deadlines of the questions', async () => {
    occupy();
    const hasty = ask('hasty', { timeoutMs: 100 });
    ask('patient');
    await sent[0]?.answer([allow()]);
    await vi.advanceTimersByTimeAsync(60);
    await sent[4]?.answer(null);
    await vi.advanceTimersByTimeAsync(40);
    expect(await hasty).toBe('timeout');
    expect(sent[5]?.signal?.aborted).toBe(true);
    expect(sent[6]?.signal?.aborted).toBe(false);
    await endAll();
  });

  it('those that wait and all later ones leave one by one, until batches are tried again', async () => {
    await refuseBatch();
    for (const json of ['d', 'e']) ask(json);
    await sent[4]?.answer(null);
    expect(sent.slice(5).map(({ kind }) => kind)).toEqual(['one', 'one', 'one', 'one']);
    clock = ONE_BY_ONE_MS - 1;
    ask('f');
    expect(later().at(-1)).toEqual(['one', 'f']);
    await endAll();
    clock = ONE_BY_ONE_MS;
    sent = [];
    occupy();
    for (const json of ['g', 'h']) ask(json);
    expect(sent).toHaveLength(IN_FLIGHT_MAX);
    await sent[0]?.answer([allow()]);
    expect(later()).toEqual([['batch', 'g', 'h']]);
    await endAll();
  });
});

describe('close', () => {
  it('fails the questions that wait, unsent', async () => {
    occupy();
    const answers = [ask('a'), ask('b')];
    coalescer.close();
    expect(await Promise.all(answers)).toEqual(['unreachable', 'unreachable']);
    await endAll();
    expect(later()).toEqual([]);
    await vi.advanceTimersByTimeAsync(WAIT_MS_MAX);
  });
});
