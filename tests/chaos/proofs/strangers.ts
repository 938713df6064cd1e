import { connect, type Socket } from 'node:net';
import { PROJECT_SECRET_HEADER } from '@ceiba/contract/sets';
import { freePort } from '@ceiba/devstack/ports';
import { openEnvoy } from '../../support/envoy.ts';
import { until } from '../../support/until.ts';
import { createCaller, tally } from '../support/caller.ts';
import { askAtOnce } from '../support/load.ts';
import { type Node, PATIENT, type Stage, startNode } from '../support/stage.ts';
import { hold } from '../support/violation.ts';

/** How strangers ask who name a project and do not have its secret. */
export const KINDS = ['complete', 'unfinished', 'over ext_authz'] as const;
export type Kind = (typeof KINDS)[number];

export interface StrangersFigures {
  strangers: number;
  callsOfStrangers: number;
  ownCalls: number;
}

const STRANGERS = 200;
/** Fewer than there are strangers: without a share of their own they take all of it. */
const SETTINGS = { ...PATIENT, MAX_DECISIONS_IN_FLIGHT: '100' };
const WRONG_SECRET = 'not the secret';
const OWN_AT_ONCE = 20;

/** A flood of strangers, who ask again as soon as they are answered. */
interface Flood {
  /** How many calls they have sent. */
  sent(): number;
  stop(): Promise<unknown>;
}

/**
 * 200 strangers name a project while the project's own host asks, for the first time, again, and with
 * a secret that was just rotated in. Each of its calls has to be allowed, and none may count as failed.
 */
export async function proveStrangers(
  stage: Stage,
  kind: Kind,
  rounds: number,
): Promise<StrangersFigures> {
  const project = await stage.world.createProject();
  const { plaintext: apiKey } = await project.createKey();
  const { projectId } = project;
  const envoyPort = await freePort();
  const node = await startNode(stage, {
    settings: { ...SETTINGS, EXT_AUTHZ_PORT: String(envoyPort) },
  });
  const envoy = openEnvoy(envoyPort);
  const flood = openFlood(kind, node, envoyPort, projectId);
  let ownCalls = 0;
  const askOwn = async (secret: string) => {
    const who = { projectId, secret, apiKey };
    const answers = await askAtOnce(OWN_AT_ONCE, () => node.ask(who));
    const overGrpc = await envoy.statusOf(who, apiKey);
    ownCalls += OWN_AT_ONCE + 1;
    const areAllowed = answers.every(({ verdict }) => verdict === 'allowed') && overGrpc === 200;
    hold('strangers take nothing of a project', areAllowed, () => {
      return `of the project's own calls were ${tally(answers)}, and ${overGrpc} over ext_authz`;
    });
  };
  try {
    await until('the strangers are there', () => flood.sent() >= STRANGERS, 30_000);
    for (let round = 0; round < rounds; round += 1) {
      await askOwn(project.secret);
      await askOwn(await project.rotateSecret());
    }
  } finally {
    await flood.stop();
    envoy.close();
    await node.stop();
  }
  await holdNoFailures(stage, projectId);
  return { strangers: STRANGERS, callsOfStrangers: flood.sent(), ownCalls };
}

async function holdNoFailures({ world }: Stage, projectId: string): Promise<void> {
  const [row] = await world.db.sql<{ failed: number }[]>`
    select coalesce(sum(failed), 0)::int as failed
    from decision_failures where project_id = ${projectId}`;
  hold('strangers take nothing of a project', row?.failed === 0, () => {
    return `${row?.failed} failures count against the project, which makes an alert of them`;
  });
}

/** Sends one call. `onSent` counts it; the result resolves once it is answered. */
type Send = (onSent: () => void, index: number) => Promise<unknown>;

function openFlood(
  kind: Kind,
  { url, runtime }: Node,
  envoyPort: number,
  projectId: string,
): Flood {
  const who = { projectId, secret: WRONG_SECRET, apiKey: null };
  switch (kind) {
    case 'complete': {
      const caller = createCaller(url);
      const send: Send = (onSent) => {
        onSent();
        return caller.ask(who);
      };
      return inLoops(send, caller.close);
    }
    case 'unfinished': {
      const sockets = new Set<Socket>();
      const close = () => {
        for (const socket of sockets) socket.destroy();
      };
      return inLoops((onSent, index) => {
        const route = index % 2 === 0 ? 'authorize' : 'authorize/batch';
        return sendHalf(sockets, runtime.port, `/rt/projects/${projectId}/${route}`, onSent);
      }, close);
    }
    case 'over ext_authz': {
      // A connection carries no more calls at once than may be in flight.
      const envoys = Array.from({ length: 4 }, () => openEnvoy(envoyPort));
      const send: Send = async (onSent, index) => {
        onSent();
        await envoys[index % envoys.length]?.statusOf(who, null);
      };
      return inLoops(send, () => {
        for (const envoy of envoys) envoy.close();
      });
    }
  }
}

/** Repeats the calls of each stranger until it is stopped, which ends the calls that are open. */
function inLoops(send: Send, close: () => void): Flood {
  let isStopped = false;
  let sent = 0;
  const onSent = () => {
    sent += 1;
  };
  const loops = Array.from({ length: STRANGERS }, async (_, index) => {
    while (!isStopped) await send(onSent, index);
  });
  return {
    sent: () => sent,
    stop() {
      isStopped = true;
      close();
      return Promise.all(loops);
    },
  };
}

/** Sends a request without the end of its body. Resolves when the connection is closed. */
function sendHalf(
  sockets: Set<Socket>,
  port: number,
  address: string,
  onSent: () => void,
): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => {});
  socket.resume();
  const head = [
    `POST ${address} HTTP/1.1`,
    'host: runtime',
    'content-type: application/json',
    'content-length: 1000000',
    `${PROJECT_SECRET_HEADER}: ${WRONG_SECRET}`,
  ].join('\r\n');
  socket.write(`${head}\r\n\r\n{`, onSent);
  return new Promise((resolve) => {
    socket.once('close', () => {
      sockets.delete(socket);
      resolve();
    });
  });
}
