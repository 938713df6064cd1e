import { promises as dns, type LookupAddress } from 'node:dns';
import { SerialQueue } from '@ceiba/process/tasks';

/** Finds the addresses of a name; rejects with an error of DNS. */
export type ResolveName = (name: string, options: ResolveOptions) => Promise<LookupAddress[]>;

export interface ResolveOptions {
  /** Whether names of the local network are looked for too. */
  isPrivateAllowed: boolean;
  /** Ends the search. */
  signal: AbortSignal;
  /** Default: the name servers of the system; otherwise such as `127.0.0.1:53`. */
  servers?: readonly string[];
}

const QUERY_MS = 5_000;
const localNames = new SerialQueue();

/**
 * Asks name servers, which the resolver of the system would do on one of the few threads of the whole
 * process: users' names that answer slowly would hold up its files, its passwords and Postgres. What
 * only the system knows (`/etc/hosts`, search domains) is asked of it one name at a time.
 */
export const resolveName: ResolveName = async (name, { isPrivateAllowed, signal, servers }) => {
  const resolver = new dns.Resolver({ timeout: QUERY_MS, tries: 1 });
  if (servers !== undefined) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await ask(resolver, name);
  } catch (error) {
    if (!isPrivateAllowed) throw error;
    return await localNames.run(() => {
      signal.throwIfAborted();
      return dns.lookup(name, { all: true });
    });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
};

async function ask(resolver: dns.Resolver, name: string): Promise<LookupAddress[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  const found = (result: PromiseSettledResult<string[]>, family: 4 | 6) =>
    result.status === 'rejected' ? [] : result.value.map((address) => ({ address, family }));
  return [...found(four, 4), ...found(six, 6)];
}
