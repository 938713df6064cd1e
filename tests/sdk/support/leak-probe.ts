/*
 * Sends many requests through one adapter, in a process that exits only if nothing is open: a leaked
 * socket, timer or server keeps it alive, and the test that waits for it fails.
 *
 *   node --expose-gc --import tsx leak-probe.ts <adapter> <requests>
 *
 * Prints one line of JSON, a `LeakReport`.
 */
import { getEventListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { ALLOW, replyText, startHostileRuntime } from './hostile-runtime.ts';
import { ADAPTERS, type Host } from './hosts.ts';
import { loadSdk } from './sdk.ts';

export interface LeakReport {
  readonly statuses: Readonly<Record<string, number>>;
  /** Growth of the live heap by the measured requests, in bytes. */
  readonly heapGrowthBytes: number;
  /** The most connections to the Runtime at once. */
  readonly mostConnections: number;
  /** Connections to the Runtime after all answers, when idle ones have been closed. */
  readonly connectionsLeft: number;
  /** Listeners that calls left on a long-lived signal. */
  readonly listenersLeft: number;
  readonly warnings: readonly string[];
}

const AT_ONCE = 50;
const WARM_UP = 2_000;
/** The behaviour of the Runtime, in rotation: it mostly answers and sometimes fails. */
const DENY = replyText(200, '{"allowed":false,"decisionId":"d","denialReason":"rate_limited"}');
const PAGE = replyText(200, '<h1>Hello</h1>', 'text/html');
const TURNS = [
  replyText(200, ALLOW),
  replyText(200, ALLOW),
  DENY,
  replyText(500, '{}'),
  PAGE,
  null,
];

const gc = (globalThis as { gc?: () => void }).gc ?? (() => {});
const [adapter = '', requests = ''] = process.argv.slice(2);
const warnings: string[] = [];
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

const open = new Set<unknown>();
let mostConnections = 0;
let turn = 0;
const runtime = await startHostileRuntime({
  name: 'answers and fails in rotation',
  hostStatus: 200,
  answer: (socket) => {
    if (!open.has(socket)) {
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      mostConnections = Math.max(mostConnections, open.size);
    }
    const text = TURNS[turn % TURNS.length];
    turn += 1;
    if (text) socket.write(text);
    else socket.resetAndDestroy();
  },
});

const sdk = await loadSdk();
const projectId = '0192f0c0-0000-7000-8000-000000000001';
const config = sdk.root.parseCeibaConfig({
  runtimeBaseUrl: runtime.url,
  projectId,
  projectSecret: 'any',
  timeoutMs: 5_000,
});
const client = new sdk.root.CeibaRuntimeClient(config);
const host: Host = await ADAPTERS[adapter]!(sdk, { client, projectId });
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
const statuses: Record<string, number> = {};

function call(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': 'any' };
    const outgoing = request({
      agent,
      port: host.port,
      host: '127.0.0.1',
      path: '/v1/reports',
      headers,
    });
    outgoing.on('error', reject).on('response', (reply) => {
      statuses[reply.statusCode ?? 0] = (statuses[reply.statusCode ?? 0] ?? 0) + 1;
      reply.resume().on('end', resolve);
    });
    outgoing.end();
  });
}

async function load(total: number, once: () => Promise<unknown>, atOnce = AT_ONCE): Promise<void> {
  let left = total;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await once();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  host.handled.length = 0;
}

/** Live heap in bytes: the smallest after several collections, because some garbage is freed late. */
async function liveHeap(): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 6; round += 1) {
    gc();
    await pause(30);
    least = Math.min(least, process.memoryUsage().heapUsed);
  }
  return least;
}

await load(WARM_UP, call);
for (const status of Object.keys(statuses)) delete statuses[status];
const before = await liveHeap();
await load(Number(requests), call);
const heapGrowthBytes = (await liveHeap()) - before;

const { signal } = new AbortController();
const question = { apiKey: 'any', method: 'GET', path: '/' };
await load(500, () => client.authorize(question, { signal }).catch(() => null), 5);
const listenersLeft = getEventListeners(signal, 'abort').length;

const deadline = performance.now() + 8_000;
while (open.size > 0 && performance.now() < deadline) await pause(100);
const report: LeakReport = {
  statuses,
  heapGrowthBytes,
  mostConnections,
  connectionsLeft: open.size,
  listenersLeft,
  warnings,
};
agent.destroy();
client.close();
await host.close();
await runtime.close();
console.log(JSON.stringify(report));
