/**
 * Measures what the SDK costs, in CPU time of the host process per request:
 *
 *   1. a decision through `node:http`, which the client uses, and through the global `fetch`;
 *   2. a decision with batching on and off, by the number of questions at a time;
 *   3. each adapter, in addition to the bare framework and the client's call.
 *
 * CPU time says more than throughput, which a busy machine changes. The Runtime is a stub that answers
 * immediately. Run it with `node bench/sdk.mjs`, after `npm run build`.
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
import { median } from './src/quantile.mjs';

const PROJECT_ID = '0192f0c0-0000-7000-8000-000000000001';
const API_KEY = 'ceiba_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG012345';
const QUESTION = { apiKey: API_KEY, method: 'GET', path: '/v1/reports' };
const BODY = { ok: true };
const ROUNDS = 5;
const REQUESTS = 4_000;
const CONCURRENCY = 32;
/** Questions at a time, for the comparison of batching. */
const LEVELS = [1, 4, 8, 32, 64];

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
  const decision = JSON.stringify(allowDecision());
  const result = `{"status":200,"decision":${decision}}`;
  const answerTo = ({ requests }) =>
    requests ? `{"results":[${requests.map(() => result).join(',')}]}` : decision;
  const server = http.createServer((req, res) => {
    let question = '';
    req.setEncoding('utf8').on('data', (chunk) => {
      question += chunk;
    });
    req.on('end', () => {
      const body = answerTo(JSON.parse(question));
      const length = Buffer.byteLength(body);
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
      res.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.send(server.address().port);
}

function clientOf(runtimePort, { batching = true, ...options } = {}) {
  const config = parseCeibaConfig({
    runtimeBaseUrl: `http://127.0.0.1:${runtimePort}`,
    projectId: PROJECT_ID,
    projectSecret: 'any',
    batching,
  });
  return new CeibaRuntimeClient(config, options);
}

async function runHost(framework, runtimePort) {
  const options = runtimePort && { client: clientOf(runtimePort), projectId: PROJECT_ID };
  const server = HOSTS[framework](options);
  if (!server.listening) await once(server, 'listening');
  process.on('message', () => process.send(process.cpuUsage()));
  process.send(server.address().port);
}

/** Replies to each message, a number of questions at a time, with what a decision cost. */
async function runClient(transport, batching, runtimePort) {
  const options = transport === 'fetch' ? { fetch } : {};
  const client = clientOf(runtimePort, { ...options, batching: batching === 'batching' });
  process.on('message', async (concurrency) => {
    const waits = [];
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    await inParallel(concurrency, async () => {
      const askedAt = performance.now();
      await client.authorize(QUESTION);
      waits.push(performance.now() - askedAt);
    });
    const elapsedMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(cpuBefore);
    process.send({
      cpuMicros: (user + system) / REQUESTS,
      perSecond: (1_000 * REQUESTS) / elapsedMs,
      p50Micros: 1_000 * median(waits),
    });
  });
  process.send('ready');
}

async function inParallel(concurrency, once) {
  let left = REQUESTS;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function start(...childArgs) {
  const child = fork(new URL(import.meta.url), childArgs.map(String));
  const [hello] = await once(child, 'message');
  return { child, hello };
}

async function reply(child, message = 'go') {
  child.send(message);
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
    CONCURRENCY,
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
  return Object.fromEntries(Object.entries(results).map(([name, all]) => [name, medianOf(all)]));
}

/** The median of numbers, or of each field of objects. */
function medianOf(values) {
  if (typeof values[0] === 'number') return median(values);
  const fields = Object.keys(values[0]);
  return Object.fromEntries(fields.map((name) => [name, median(values.map((v) => v[name]))]));
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
  for (const mode of ['alone', 'batching']) {
    const { child } = await keep('client', 'node', mode, runtime.hello);
    for (const level of LEVELS) measures[`${mode} ${level}`] = () => reply(child, level);
  }
  const viaFetch = await keep('client', 'fetch', 'alone', runtime.hello);
  measures.fetch = () => reply(viaFetch.child, CONCURRENCY);
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

function micros(value) {
  return `${value.toFixed(0)} µs`;
}

function printReport(costs) {
  console.log(
    `CPU per request, median of ${ROUNDS} rounds of ${REQUESTS}, Node ${process.version}\n`,
  );
  printClient(costs);
  for (const framework of Object.keys(HOSTS)) {
    const bare = costs[`${framework} bare`];
    const guarded = costs[`${framework} guarded`];
    const overhead = guarded - bare - costs[`batching ${CONCURRENCY}`].cpuMicros;
    console.log(
      `${framework.padEnd(9)} bare ${micros(bare)}, guarded ${micros(guarded)}, ` +
        `the adapter beyond the client ${micros(overhead)}`,
    );
  }
}

function printClient(costs) {
  const node = costs[`alone ${CONCURRENCY}`].cpuMicros;
  const viaFetch = costs.fetch.cpuMicros;
  console.log(`client.authorize over node:http   ${micros(node)}`);
  console.log(`client.authorize over fetch       ${micros(viaFetch)}`);
  console.log(`                                  ${(viaFetch / node).toFixed(1)} times\n`);
  console.log('questions at a time: CPU, p50 and decisions per second, without and with batching');
  for (const level of LEVELS) {
    const [alone, batching] = [costs[`alone ${level}`], costs[`batching ${level}`]];
    console.log(
      [
        `${level}`.padEnd(4),
        `CPU ${micros(alone.cpuMicros)}, ${micros(batching.cpuMicros)};`,
        `p50 ${micros(alone.p50Micros)}, ${micros(batching.p50Micros)};`,
        `${alone.perSecond.toFixed(0)}/s, ${batching.perSecond.toFixed(0)}/s`,
      ].join(' '),
    );
  }
  console.log();
}
