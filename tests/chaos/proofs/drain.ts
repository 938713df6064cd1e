import { connect, type Socket } from 'node:net';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { until } from '../../support/redis.ts';
import { allowedOf, askFor, judgeWithUsage, openAccount } from '../support/account.ts';
import { type Credentials, countOf, tally } from '../support/caller.ts';
import { askInLoops } from '../support/load.ts';
import type { Random } from '../support/random.ts';
import { type Stage, startNode } from '../support/stage.ts';
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
function sendStalledRequest(port: number, { projectId, secret }: Credentials): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  const head = [
    `POST /rt/projects/${projectId}/api-keys HTTP/1.1`,
    'host: runtime',
    'content-type: application/json',
    'content-length: 30',
    `${PROJECT_SECRET_HEADER}: ${secret}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n{"displayName"`);
  return socket;
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
 * also waits for a request that never ends.
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
    const { loops, pauseMs } = random.pick(LOADS);
    const load = askInLoops(() => askFor(account, node), loops, pauseMs);
    const isStalling = figures.stops % 2 === 1;
    const stalled = isStalling ? sendStalledRequest(node.runtime.port, account.who) : null;
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
      figures.slowestStopMs = Math.max(figures.slowestStopMs, stopMs);
    } finally {
      stalled?.destroy();
      await load.stop();
      await node.stop();
    }
    const allowed = allowedOf(account);
    const refused = countOf(account.answers, 'not_accepted');
    hold('stops gracefully', allowed + refused === account.answers.length, () => {
      return `the answers under load were ${tally(account.answers)}`;
    });
    await judgeWithUsage(stage, account, 'a stop under load');
    figures.allowed += allowed;
    figures.refused += refused;
  }
  return figures;
}
