/**
 * Measures what the client library costs, in CPU time of the host process per request:
 *
 *   1. a decision through `node:http`, which the client uses, and through the global `fetch`;
 *   2. each adapter, in addition to the bare framework and the client's call.
 *
 * It measures CPU time instead of throughput, which a busy machine changes. The Runtime is a stub
 * that answers immediately. Run it with `node bench/sdk.mjs`, after `npm run build`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { CeibaRuntimeClient, parseCeibaConfig } from '@ceiba/sdk';
import { createExpressMiddleware } from '@ceiba/sdk/express';
import { createFastifyPreHandler } from '@ceiba/sdk/fastify';
import { createFetchGuard } from '@ceiba/sdk/fetch';
import { createHonoMiddleware } from '@ceiba/sdk/hono';
import { createNextRouteGuard } from '@ceiba/sdk/next';
import { allowDecision } from '@ceiba/sdk/testing';
import { serve } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { median } from './src/load.mjs';

const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';
const API_KEY = 'ceiba_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG012345';
const QUESTION = { apiKey: API_KEY, method: 'GET', path: '/v1/reports' };
const BODY = { ok: true };
const ROUNDS = 5;
const REQUESTS = 4_000;
const CONCURRENCY = 32;

/** The same route in each framework, bare when there are no options. */
const HOSTS = {
  express(options) {
    const app = express();
    if (options) app.use('/v1', createExpressMiddleware(options));
    app.get('/v1/reports', (_req, res) => res.json(BODY));
    return app.listen(0, '127.0.0.1');
  },
  fastify(options) {
    const app = fastify();
    const guards = options ? { preHandler: createFastifyPreHandler(options) } : {};
    app.get('/v1/reports', guards, async () => BODY);
    app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
  hono(options) {
    const app = new Hono();
    if (options) app.use('/v1/*', createHonoMiddleware(options));
    app.get('/v1/reports', (c) => c.json(BODY));
    return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  },
  next(options) {
    const handler = () => Response.json(BODY);
    const route = options ? createNextRouteGuard(options)(handler) : handler;
    return serve({ fetch: (request) => route(request, {}), port: 0, hostname: '127.0.0.1' });
  },
  fetch(options) {
    const guard = options && createFetchGuard(options);
    const handle = async (request) => {
      const verdict = await guard?.(request);
      if (verdict?.allowed === false) return verdict.response;
      return Response.json(BODY, { headers: { ...verdict?.headers } });
    };
    return serve({ fetch: handle, port: 0, hostname: '127.0.0.1' });
  },
};

const [role, ...args] = process.argv.slice(2);
if (role === 'runtime') await runRuntime();
else if (role === 'host') await runHost(...args);
else if (role === 'client') await runClient(...args);
else await runBench();

/** A Runtime that allows every call. */
async function runRuntime() {
  const body = JSON.stringify(allowDecision());
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const server = http.createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(200, headers).end(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(server.address().port);
}

function clientOf(runtimePort, options) {
  const runtimeBaseUrl = `http://127.0.0.1:${runtimePort}`;
  const config = parseCeibaConfig({ runtimeBaseUrl, projectId: PROJECT_ID, projectSecret: 'any' });
  return new CeibaRuntimeClient(config, options);
}

async function runHost(framework, runtimePort) {
  const options = runtimePort && { client: clientOf(runtimePort), projectId: PROJECT_ID };
  const server = HOSTS[framework](options);
  if (!server.listening) await once(server, 'listening');
  process.on('message', () => process.send(process.cpuUsage()));
  process.send(server.address().port);
}

async function runClient(transport, runtimePort) {
  const client = clientOf(runtimePort, transport === 'fetch' ? { fetch } : {});
  process.on('message', async () => {
    const before = process.cpuUsage();
    await inParallel(() => client.authorize(QUESTION));
    const { user, system } = process.cpuUsage(before);
    process.send((user + system) / REQUESTS);
  });
  process.send('ready');
}

async function inParallel(once) {
  let left = REQUESTS;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

async function start(...childArgs) {
  const child = fork(new URL(import.meta.url), childArgs.map(String));
  const [hello] = await once(child, 'message');
  return { child, hello };
}

async function reply(child) {
  child.send('go');
  const [answer] = await once(child, 'message');
  return answer;
}

/** CPU time of the host per request, in µs. */
async function hostCost({ child, hello: port }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  const headers = { 'x-api-key': API_KEY };
  const target = { agent, host: '127.0.0.1', port, path: '/v1/reports', headers };
  const before = await reply(child);
  await inParallel(
    () =>
      new Promise((resolve, reject) => {
        const request = http.get(target, (res) => {
          if (res.statusCode !== 200) reject(new Error(`the host answered ${res.statusCode}`));
          res.resume().on('end', resolve);
        });
        request.on('error', reject);
      }),
  );
  const after = await reply(child);
  agent.destroy();
  return (after.user - before.user + after.system - before.system) / REQUESTS;
}

/** Measures all in every round, so that a busy moment affects each; the first round warms up. */
async function mediansOf(measures) {
  const results = Object.fromEntries(Object.keys(measures).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, measure] of Object.entries(measures)) {
      const value = await measure();
      if (round > 0) results[name].push(value);
    }
  }
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, median(all)]));
}

async function runBench() {
  const runtime = await start('runtime');
  const children = [runtime.child];
  const keep = async (...childArgs) => {
    const started = await start(...childArgs);
    children.push(started.child);
    return started;
  };
  const measures = {};
  for (const transport of ['node', 'fetch']) {
    const { child } = await keep('client', transport, runtime.hello);
    measures[`client over ${transport}`] = () => reply(child);
  }
  for (const framework of Object.keys(HOSTS)) {
    const bare = await keep('host', framework);
    const guarded = await keep('host', framework, runtime.hello);
    measures[`${framework} bare`] = () => hostCost(bare);
    measures[`${framework} guarded`] = () => hostCost(guarded);
  }
  const costs = await mediansOf(measures);
  for (const child of children) child.kill();
  printReport(costs);
}

function printReport(costs) {
  const micros = (value) => `${value.toFixed(0)} µs`;
  const { 'client over node': client, 'client over fetch': viaFetch } = costs;
  console.log(
    `CPU per request, median of ${ROUNDS} rounds of ${REQUESTS}, Node ${process.version}\n`,
  );
  console.log(`client.authorize over node:http   ${micros(client)}`);
  console.log(`client.authorize over fetch       ${micros(viaFetch)}`);
  console.log(`                                  ${(viaFetch / client).toFixed(1)} times\n`);
  for (const framework of Object.keys(HOSTS)) {
    const bare = costs[`${framework} bare`];
    const guarded = costs[`${framework} guarded`];
    const overhead = guarded - bare - client;
    console.log(
      `${framework.padEnd(9)} bare ${micros(bare)}, guarded ${micros(guarded)}, ` +
        `the adapter beyond the client ${micros(overhead)}`,
    );
  }
}
