import { connect } from 'node:net';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { until } from '../../support/until.ts';
import {
  type Account,
  allowedOf,
  askFor,
  judgeWithUsage,
  openAccount,
} from '../support/account.ts';
import { type Credentials, countOf, tally } from '../support/caller.ts';
import { askInLoops } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Node, type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

export interface DrainFigures {
  stops: number;
  allowed: number;
  /** Questions that the Runtime did not accept, because it had stopped; none was charged. */
  refused: number;
  slowestStopMs: number;
}

const STOP_WITHIN_MS = 10_000;

/** Sends a request without the end of its body. */
function sendStalledRequest(port: number, { projectId, secret }: Credentials) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => {});
  let answer = '';
  socket.on('data', (text) => {
    answer += text;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [
    `POST /rt/projects/${projectId}/api-keys HTTP/1.1`,
    'host: runtime',
    'content-type: application/json',
    'content-length: 30',
    `${PROJECT_SECRET_HEADER}: ${secret}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"displayName"`);
  return {
    /** Resolves with the first line of the answer once the connection is closed. */
    async status() {
      await closed;
      return answer.split('\r\n', 1)[0];
    },
    destroy: () => socket.destroy(),
  };
}

/** How many callers ask at the same time, and how long each of them waits between two questions. */
const LOADS = [
  { loops: 8, pauseMs: 2 },
  { loops: 32, pauseMs: 0 },
  { loops: 48, pauseMs: 60 },
];

/**
 * Sends SIGTERM to Runtimes under load. Every request on an accepted connection is answered, all
 * counted usage is in Postgres when the process exits, and the exit code is 0. Every second Runtime
 * also has a request that never ends: it waits for the rest, and answers 400 at the deadline.
 */
export async function proveDrain(
  stage: Stage,
  times: number,
  random: Random,
  settings: Record<string, string> = {},
): Promise<DrainFigures> {
  const figures = { stops: 0, allowed: 0, refused: 0, slowestStopMs: 0 };
  for (; figures.stops < times; figures.stops += 1) {
    const account = await openAccount(stage, 1_000_000);
    const node = await startNode(stage, { settings });
    const stopMs = await stopUnderLoad(account, node, random, figures.stops % 2 === 1);
    const allowed = allowedOf(account);
    const refused = countOf(account.answers, 'not_accepted');
    hold('stops gracefully', allowed + refused === account.answers.length, () => {
      return `the answers under load were ${tally(account.answers)}`;
    });
    await judgeWithUsage(stage, account, 'a stop under load');
    figures.slowestStopMs = Math.max(figures.slowestStopMs, stopMs);
    figures.allowed += allowed;
    figures.refused += refused;
  }
  return figures;
}

/** Stops a Runtime under load. @returns how long it took to exit, in ms */
async function stopUnderLoad(
  account: Account,
  node: Node,
  random: Random,
  hasStalledRequest: boolean,
): Promise<number> {
  const { loops, pauseMs } = random.pick(LOADS);
  const load = askInLoops(() => askFor(account, node), loops, pauseMs);
  const stalled = hasStalledRequest ? sendStalledRequest(node.runtime.port, account.who) : null;
  try {
    const enough = random.int(50, 200);
    await until('the Runtime is under load', () => load.answers.length > enough);
    const signalledAt = performance.now();
    node.runtime.kill('SIGTERM');
    const exit = await node.runtime.exited;
    const stopMs = Math.round(performance.now() - signalledAt);
    hold('stops gracefully', exit === 'exited with code 0' && stopMs <= STOP_WITHIN_MS, () => {
      return `the Runtime ${exit} after ${stopMs} ms`;
    });
    const status = await stalled?.status();
    hold('stops gracefully', !stalled || /^HTTP\/1\.1 400 /.test(`${status}`), () => {
      return `the request without an end was answered with "${status}"`;
    });
    return stopMs;
  } finally {
    stalled?.destroy();
    await load.stop();
    await node.stop();
  }
}
