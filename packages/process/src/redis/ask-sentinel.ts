import type { HostAndPort } from './address.ts';

/** The primary that a sentinel names; each failover raises the epoch. */
export interface NamedPrimary extends HostAndPort {
  epoch: number;
}

/**
 * Asks one sentinel. The epoch is read first: a failover in between makes it too low for the
 * address, never too high.
 *
 * @param call - Runs a command on the sentinel.
 * @throws Error if the sentinel knows no primary of this name
 */
export async function askSentinel(
  call: (command: string, ...args: string[]) => Promise<unknown>,
  primaryName: string,
): Promise<NamedPrimary> {
  const [facts, address] = await Promise.all([
    call('SENTINEL', 'MASTER', primaryName).then(textsOf),
    call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName).then(textsOf),
  ]);
  const [host, port] = address;
  const epoch = Number(facts[facts.indexOf('config-epoch') + 1]);
  if (!host || !port || !Number.isInteger(epoch)) throw new Error('the sentinel knows no primary');
  return { host, port: Number(port), epoch };
}

const textsOf = (reply: unknown): string[] => (Array.isArray(reply) ? reply.map(String) : []);

/** After a failover some sentinels still name the old primary, so the newest epoch counts. */
export const newestPrimary = (named: readonly NamedPrimary[]): NamedPrimary | undefined =>
  [...named].sort((one, other) => other.epoch - one.epoch)[0];
