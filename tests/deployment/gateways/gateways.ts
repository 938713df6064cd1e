import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@ceiba/devstack/ports';
import { createSupervisor, logFileOf, temporaryFolder } from '@ceiba/devstack/supervisor';
import { until } from '../../support/until.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const examples = join(root, 'examples/gateways');

/** The variables of every example. Addresses are `host:port`. */
export interface GatewaySettings {
  LISTEN_HOST: string;
  LISTEN_PORT: string;
  UPSTREAM: string;
  CEIBA_RUNTIME: string;
  CEIBA_PROJECT_ID: string;
  CEIBA_PROJECT_SECRET: string;
}

interface Gateway {
  /** Its program on this machine; without it, its tests are reported as skipped. */
  readonly program: string | undefined;
  /** What it passes on apart from plain HTTP/1.1. */
  readonly speaks: readonly ('HTTP/2' | 'WebSocket')[];
  /** Its configuration in the folder of examples. */
  readonly file: string;
  /** How it is started in a folder with that configuration. */
  args(folder: string): string[];
}

/** Debian installs daemons in a folder that only root's PATH has. */
const programOf = (name: string, flag: string) =>
  [name, `/usr/sbin/${name}`].find((program) => spawnSync(program, [flag]).status === 0);

/** Those that the tests run, from the files of the examples as they are. */
export const GATEWAYS: Readonly<Record<string, Gateway>> = {
  nginx: {
    program: programOf('nginx', '-v'),
    speaks: [],
    file: 'nginx/nginx.conf.template',
    args(folder) {
      const own = `daemon off; error_log stderr; pid ${join(folder, 'nginx.pid')};`;
      return ['-p', folder, '-c', join(folder, 'nginx.conf.template'), '-g', own];
    },
  },
  Caddy: {
    program: programOf('caddy', 'version'),
    speaks: ['WebSocket'],
    file: 'caddy/Caddyfile',
    args: () => ['run'],
  },
  HAProxy: {
    program: programOf('haproxy', '-v'),
    speaks: ['HTTP/2', 'WebSocket'],
    file: 'haproxy/haproxy.cfg',
    args: (folder) => ['-db', '-f', join(folder, 'haproxy.cfg')],
  },
};

/** A request as the host behind the gateway received it. */
export interface Seen {
  /** The request line. */
  readonly line: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Of the body, in bytes. */
  readonly length: number;
}

/** A gateway with the Python host behind it. */
export interface RunningGateway {
  readonly port: number;
  /** Every request that has reached the host, in order. */
  seen(): readonly Seen[];
  stop(): Promise<void>;
}

/**
 * Starts a gateway from its example.
 *
 * @param changes `edit` changes the text of its configuration; `upstream` is another host, `host:port`.
 */
export async function startGateway(
  name: string,
  ceiba: { runtimeUrl: string; projectId: string; secret: string },
  changes: { edit?: (text: string) => string; upstream?: string } = {},
): Promise<RunningGateway> {
  const gateway = GATEWAYS[name];
  if (gateway?.program === undefined) throw new Error(`there is no ${name} on this machine`);
  const dataDir = temporaryFolder('ceiba-gateway-');
  const supervisor = await createSupervisor({ dataDir, removeOnEnd: [dataDir] });
  const [port, hostPort] = [await freePort(), await freePort()];
  const host = await supervisor.spawn({
    name: 'Host',
    stage: 0,
    command: 'python3',
    args: [fileURLToPath(new URL('./host.py', import.meta.url)), String(hostPort)],
  });
  const settings: GatewaySettings = {
    LISTEN_HOST: '127.0.0.1',
    LISTEN_PORT: String(port),
    UPSTREAM: changes.upstream ?? `127.0.0.1:${hostPort}`,
    CEIBA_RUNTIME: new URL(ceiba.runtimeUrl).host,
    CEIBA_PROJECT_ID: ceiba.projectId,
    CEIBA_PROJECT_SECRET: ceiba.secret,
  };
  configure(gateway, dataDir, settings, changes.edit);
  const service = await supervisor.spawn({
    name: 'Gateway',
    stage: 1,
    command: gateway.program,
    args: gateway.args(dataDir),
    cwd: dataDir,
    env: { PATH: process.env.PATH, HOME: dataDir, ...settings },
  });
  for (const [each, at] of [
    [host, hostPort],
    [service, port],
  ] as const) {
    await until('it listens', async () => {
      if (!each.isRunning()) throw new Error(each.tail());
      return accepts(at);
    });
  }
  return {
    port,
    seen: () =>
      readFileSync(logFileOf(dataDir, 'Host'), 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line): Seen => JSON.parse(line)),
    stop: () => supervisor.stop(),
  };
}

/**
 * The text with its examples of a cost: the lines of configuration that follow a comment, each behind a
 * comment sign of its own.
 */
export const withExamples = (text: string) =>
  text.replace(
    /^( *|\t*)# (location ~\* \^\/v1\/exports|handle \/v1\/exports|http-request set-var)[^\n]*(?:\n\1# [^\n]*)*/gm,
    (lines) => lines.replace(/^(\s*)# /gm, '$1'),
  );

/** Copies the example into a folder. What is left of `${…}` there, the gateway reads itself. */
function configure(
  { file }: Gateway,
  folder: string,
  settings: GatewaySettings,
  edit = (text: string) => text,
) {
  cpSync(join(examples, dirname(file)), folder, { recursive: true });
  const path = join(folder, basename(file));
  const text = edit(readFileSync(path, 'utf8'));
  // As envsubst does.
  const filled = text.replace(/\$\{(\w+)\}/g, (_, name: keyof GatewaySettings) => settings[name]);
  writeFileSync(path, file.endsWith('.template') ? filled : text);
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', finish(true)).once('error', finish(false));
  });
