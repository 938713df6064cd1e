import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createLogger } from '@ceiba/process/log';
import type { LookupRow } from '@ceiba/schema';
import { describe, expect, it, vi } from 'vitest';
import { Admission } from '../decision/admission.ts';
import type { Dependencies } from '../decision/dependencies.ts';
import { entranceOf } from '../decision/entrance-test-support.ts';
import { ErrorLog } from '../error-log.ts';
import { createAuthorizeRoutes } from './authorize-routes.ts';
import type { Reply } from './replies.ts';

const PROJECT_ID = '0190a0b0-0000-7000-8000-000000000000';
const OTHER_PROJECT_ID = '0190a0b0-0000-7000-8000-000000000001';
const THIRD_PROJECT_ID = '0190a0b0-0000-7000-8000-000000000002';
const MIB = 1024 * 1024;

/** A call with this body; `undefined` never sends the rest of what it announces. */
function incoming(body: unknown, contentLength?: number): IncomingMessage {
  const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
  const stream = new Readable({ read() {} });
  if (bytes) stream.push(bytes);
  if (bytes) stream.push(null);
  const headers = {
    'content-type': 'application/json',
    'content-length': String(contentLength ?? bytes?.length ?? 0),
    'x-service-project-secret': 'secret',
  };
  const socket = { remoteAddress: '127.0.0.1' };
  const complete = bytes !== null;
  return Object.assign(stream, { headers, socket, complete }) as unknown as IncomingMessage;
}

/** A gateway's question. */
const question = () =>
  Object.assign(incoming({}), {
    method: 'GET',
    url: `/rt/projects/${PROJECT_ID}/forward-auth/v1/reports`,
    rawHeaders: [],
  });

/** Routes whose lookups wait until `release` lets them find no project, so that they end in 401. */
function routesOf({
  maxInFlight,
  deadlineMs = 10_000,
}: {
  maxInFlight: number;
  deadlineMs?: number;
}) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let asked = 0;
  const find = async () => {
    asked += 1;
    await released;
    return { project: null, apiKey: null, subscription: null } as LookupRow;
  };
  const dependencies = { lookups: { find } } as unknown as Dependencies;
  const errors = new ErrorLog(createLogger({ service: 'test', level: 'silent' }));
  const admission = new Admission({
    maxDecisions: maxInFlight,
    deadlineMs,
    now: performance.now.bind(performance),
  });
  const pace = { slot: async () => {} };
  const entrance = entranceOf(admission, () => pace.slot());
  const options = { dependencies, errors, deadlineMs, entrance };
  const routes = createAuthorizeRoutes(options);
  const batch = (size: number) =>
    routes.authorizeBatch(incoming({ requests: Array(size).fill({}) }), PROJECT_ID);
  const one = () => routes.authorize(incoming({}), PROJECT_ID);
  const forward = () => routes.forwardAuth(question(), PROJECT_ID);
  return { routes, admission, pace, release, one, batch, forward, asked: () => asked };
}

const statusOf = async (reply: Promise<Reply>) => (await reply).status;

describe('the admission of decisions', () => {
  it('knows a project by its id in any case', async () => {
    const { routes, admission, release } = routesOf({ maxInFlight: 4 });
    release();
    const admit = vi.spyOn(admission, 'admit');
    await routes.authorize(incoming({}), PROJECT_ID);
    await routes.authorize(incoming({}), PROJECT_ID.toUpperCase());
    expect(admit.mock.calls).toEqual([
      [PROJECT_ID, 0],
      [PROJECT_ID, 0],
    ]);
  });

  it('takes no error for a decision: a quick one would hide an overload', async () => {
    const { routes, admission, release } = routesOf({ maxInFlight: 4 });
    release();
    const leave = vi.fn();
    vi.spyOn(admission, 'admit').mockReturnValue({ countDecisions: () => true, leave });
    expect(await statusOf(routes.authorize(incoming({}), PROJECT_ID))).toBe(401);
    expect(leave.mock.calls).toEqual([[false]]);
  });
});

describe('the limit of decisions in flight', () => {
  it('refuses a batch that does not fit beside what is in flight, and frees its places', async () => {
    const { one, batch, release } = routesOf({ maxInFlight: 8 });
    const waiting = one();
    expect(await statusOf(batch(4))).toBe(503);
    const fits = batch(3);
    await new Promise(setImmediate);
    expect(await statusOf(one())).toBe(503);
    release();
    expect(await statusOf(waiting)).toBe(401);
    expect(await statusOf(fits)).toBe(401);
    expect(await statusOf(batch(4))).toBe(401);
  });

  it('answers a refusal at its turn', async () => {
    const { one, pace, release } = routesOf({ maxInFlight: 1 });
    const waiting = one();
    let takeTurn = () => {};
    pace.slot = () =>
      new Promise((resolve) => {
        takeTurn = resolve;
      });
    let isAnswered = false;
    const refused = one().finally(() => {
      isAnswered = true;
    });
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    takeTurn();
    expect(await statusOf(refused)).toBe(503);
    release();
    expect(await statusOf(waiting)).toBe(401);
  });

  it('answers the refusal of a batch at its turn as well', async () => {
    const { one, batch, pace, release } = routesOf({ maxInFlight: 4 });
    const waiting = one();
    const turn = vi.spyOn(pace, 'slot');
    expect(await statusOf(batch(4))).toBe(503);
    expect(turn).toHaveBeenCalledOnce();
    release();
    expect(await statusOf(waiting)).toBe(401);
  });

  it('lets a batch that is larger than the limit through where nothing else is in flight', async () => {
    const { batch, release } = routesOf({ maxInFlight: 4 });
    const large = batch(9);
    await new Promise(setImmediate);
    expect(await statusOf(batch(1))).toBe(503);
    release();
    expect(await statusOf(large)).toBe(401);
  });

  it('gives no places to a batch whose body arrives after its deadline', async () => {
    const { routes, one, release } = routesOf({ maxInFlight: 4, deadlineMs: 20 });
    release();
    const late = incoming(undefined, 1_000);
    expect(await statusOf(routes.authorizeBatch(late, PROJECT_ID))).toBe(503);
    late.push(JSON.stringify({ requests: Array(9).fill({}) }));
    late.push(null);
    await new Promise(setImmediate);
    expect(await statusOf(one())).toBe(401);
  });

  it('counts a body that is too large as no more than what is read of it', async () => {
    const { routes, release } = routesOf({ maxInFlight: 4 });
    release();
    expect(await statusOf(routes.authorizeBatch(incoming({}, 65 * MIB), PROJECT_ID))).toBe(401);
  });

  it('refuses large batches of a project, and nothing else, once 32 MiB of them are on their way', async () => {
    const { routes, one, batch, release } = routesOf({ maxInFlight: 4_096, deadlineMs: 100 });
    release();
    const large = (body?: object, projectId = PROJECT_ID) =>
      routes.authorizeBatch(incoming(body, MIB), projectId);
    const late = Array.from({ length: 32 }, () => large());
    expect(await statusOf(large({}))).toBe(503);
    expect(await statusOf(one())).toBe(401);
    expect(await statusOf(batch(32))).toBe(401);
    expect(await statusOf(large({}, OTHER_PROJECT_ID))).toBe(401);
    await Promise.all(late);
    expect(await statusOf(large({}))).toBe(401);
  });

  it('refuses large batches of every project once 64 MiB of them are on their way', async () => {
    const { routes, release } = routesOf({ maxInFlight: 4_096, deadlineMs: 100 });
    release();
    const large = (projectId: string, body?: object) =>
      routes.authorizeBatch(incoming(body, MIB), projectId);
    const late = Array.from({ length: 32 }, () => [large(PROJECT_ID), large(OTHER_PROJECT_ID)]);
    expect(await statusOf(large(THIRD_PROJECT_ID, {}))).toBe(503);
    await Promise.all(late.flat());
    expect(await statusOf(large(THIRD_PROJECT_ID, {}))).toBe(401);
  });
});

describe('a question of a gateway', () => {
  it('counts as one decision in flight, and is a 503 where there is no room', async () => {
    const { one, forward, release, asked } = routesOf({ maxInFlight: 1 });
    const waiting = forward();
    await new Promise(setImmediate);
    expect(await statusOf(one())).toBe(503);
    const refused = await forward();
    expect(refused.status).toBe(503);
    expect(asked()).toBe(1);
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'service_unavailable' });
    release();
    expect(await statusOf(waiting)).toBe(503);
    expect(await statusOf(one())).toBe(401);
  });

  it('is answered with 503 at its deadline', async () => {
    const { forward } = routesOf({ maxInFlight: 1, deadlineMs: 20 });
    expect(await statusOf(forward())).toBe(503);
    expect(await statusOf(forward())).toBe(503);
  });

  it('that meets a bug is a 500, which no gateway takes for a verdict', async () => {
    const errors = new ErrorLog(createLogger({ service: 'test', level: 'silent' }));
    const admission = new Admission({ maxDecisions: 1, deadlineMs: 1_000, now: () => 0 });
    const dependencies = {} as Dependencies;
    const options = { dependencies, errors, deadlineMs: 1_000, entrance: entranceOf(admission) };
    const routes = createAuthorizeRoutes(options);
    expect(await statusOf(routes.forwardAuth(question(), PROJECT_ID))).toBe(500);
  });
});
