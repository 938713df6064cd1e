import { expect, it } from 'vitest';
import type { AccessOptions } from './access-options.ts';
import { createFastifyPreHandler } from './fastify.ts';

/** Runs the pre-handler of `/v1/reports/:id`, and returns the status and the judged path. */
async function ask(
  originalUrl: string,
  params: unknown,
  route: object = { routeOptions: { url: '/v1/reports/:id' } },
) {
  let judged: string | null = null;
  const client = {
    projectId: 'project',
    authorize: ({ path }: { path: string }) => {
      judged = path;
      return Promise.reject(new Error('not reached in this test'));
    },
  } as unknown as AccessOptions['client'];
  let status = 0;
  const reply = {
    sent: false,
    code: (value: number) => {
      status = value;
    },
    headers: () => {},
    send: () => {},
  };
  const request = {
    method: 'GET',
    originalUrl,
    params,
    raw: { rawHeaders: [] },
    ...route,
  };
  await createFastifyPreHandler({ client, projectId: 'project' })(request, reply);
  return { status, judged };
}

it('refuses an empty last parameter, also where validation replaced it with a number', async () => {
  expect(await ask('/v1/reports/', { id: 0 })).toEqual({ status: 403, judged: null });
  expect(await ask('/v1/reports/?page=2', { id: 0 })).toEqual({ status: 403, judged: null });
});

it('refuses it also before Fastify 4.10, which names the route otherwise', async () => {
  const route = { routerPath: '/v1/reports/:id' };
  expect(await ask('/v1/reports/', { id: 0 }, route)).toEqual({ status: 403, judged: null });
});

it('asks about the path of the caller also before Fastify 4.19, which has no `originalUrl`', async () => {
  const route = { routeOptions: { url: '/v1/reports/:id' } };
  for (const raw of [
    { url: '/v1/reports/42?page=2' },
    { url: '/42', originalUrl: '/v1/reports/42' },
  ]) {
    const request = { ...route, originalUrl: undefined, raw: { rawHeaders: [], ...raw } };
    expect(await ask('', { id: 42 }, request)).toMatchObject({ judged: '/v1/reports/42' });
  }
});

it('asks about a non-empty parameter, also with a trailing slash', async () => {
  expect(await ask('/v1/reports/0', { id: 0 })).toMatchObject({ judged: '/v1/reports/0' });
  expect(await ask('/v1/reports/42/', { id: 42 })).toMatchObject({ judged: '/v1/reports/42/' });
});
