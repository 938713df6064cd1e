import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

import { codeOf, LauncherError } from './errors.ts';
import { loopback, PORT_MAX } from './settings.ts';

/** Below the ports that operating systems give to outgoing connections, above those that clients refuse. */
const FREE_PORTS = { least: 15_000, most: 32_000 };
const given = new Set<number>();

/**
 * @param range Another range than that of everybody else, for ports on which nothing listens at times.
 * @returns A free port that no outgoing connection takes in the meantime. It is not reserved, but this
 *   process is given it only once.
 */
export async function freePort(range = FREE_PORTS): Promise<number> {
  const port = randomInt(range.least, range.most + 1);
  if (given.has(port) || (await isTaken(port))) return freePort(range);
  given.add(port);
  return port;
}

/** @throws {LauncherError} Names the first port in use or of no use, and the variable that changes it. */
export async function requireFreePorts(wanted: { name: string; variable: string; port: number }[]) {
  for (const { name, variable, port } of wanted) {
    const other = port + 10 <= PORT_MAX ? port + 10 : port - 10;
    const another = `choose another port: ${variable}=${other} npm start`;
    if (await isTaken(port)) {
      throw new LauncherError(`Port ${port} for the ${name} is already in use.`, {
        hint: `Stop the program that listens there, or ${another}`,
      });
    }
    if (await isRefusedByClients(port)) {
      throw new LauncherError(
        `Browsers and fetch refuse port ${port}, so the ${name} cannot use it.`,
        {
          hint: `Please ${another}`,
        },
      );
    }
  }
}

/**
 * @param port A free one.
 * @returns Whether it is a "bad port" of the Fetch standard, such as 4190 and 6000.
 */
async function isRefusedByClients(port: number): Promise<boolean> {
  try {
    await fetch(`http://${loopback}:${port}`);
    return false;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error && cause.message === 'bad port';
  }
}

export async function isTaken(port: number): Promise<boolean> {
  // Connect first: on macOS a loopback bind succeeds while another program listens on all addresses.
  // On ::1 as well, which browsers try first for localhost.
  if ((await accepts(port)) || (await accepts(port, '::1'))) return true;
  try {
    await listenOnce(port);
    return false;
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') return true;
    if (codeOf(error) === 'EACCES') {
      throw new LauncherError(`This user may not listen on port ${port}.`);
    }
    throw error;
  }
}

/** @returns Whether a program accepts connections on this loopback port. */
export function accepts(port: number, host: string = loopback): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 1000 });
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
  });
}

/** Binds the port and frees it again. */
function listenOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host: loopback, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
