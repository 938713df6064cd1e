/**
 * Identifies one lifetime of a server's data. `charge.lua` makes a counter's epoch of the same two
 * fields: a restart changes `run_id`, another primary has another `master_replid`.
 *
 * @param info - The sections `server` and `replication` of INFO.
 * @returns null where both are missing or zero, as js-redis-server reports them
 */
export function epochOf(info: string): string | null {
  const [runId, replicationId] = ['run_id', 'master_replid'].map(
    (name) => new RegExp(`^${name}:([0-9a-f]+)`, 'm').exec(info)?.[1] ?? '',
  );
  const epoch = `${runId}${replicationId}`;
  return /[1-9a-f]/.test(epoch) ? epoch : null;
}

/** A script, because a proxy can answer INFO itself; the charge also calls INFO within a script. */
export const EPOCH_SCRIPT =
  "return redis.call('INFO', 'server') .. redis.call('INFO', 'replication')";

/** How often to ask per connection; several connections, because a balancer may choose per connection. */
export const EPOCH_SAMPLES = { rounds: 25, connections: 4 } as const;

/**
 * Asks over all connections at the same time, round by round.
 *
 * @param connections - Each runs {@link EPOCH_SCRIPT} over its own connection.
 * @returns the epochs in the order of the replies
 */
export async function sampleEpochs(
  connections: readonly (() => Promise<unknown>)[],
): Promise<(string | null)[]> {
  const epochs: (string | null)[] = [];
  const ask = async (run: () => Promise<unknown>) => epochs.push(epochOf(String(await run())));
  for (let round = 0; round < EPOCH_SAMPLES.rounds; round++) {
    await Promise.all(connections.map(ask));
  }
  return epochs;
}

export type EpochVerdict = 'steady' | 'changing' | 'unreported';

/**
 * @param epochs - In the order of the replies. A single change is a restart or a failover that
 *   happened meanwhile; an epoch that returns, or a third one, belongs to another server.
 */
export function judgeEpochs(epochs: readonly (string | null)[]): EpochVerdict {
  const changes = epochs.filter((epoch, index) => index > 0 && epoch !== epochs[index - 1]).length;
  if (changes > 1) return 'changing';
  return epochs.at(-1) === null ? 'unreported' : 'steady';
}

/** The text for each bad finding; it continues a sentence that begins with the server's name. */
export const EPOCH_PROBLEMS = {
  changing:
    'reports another run_id or master_replid from one command to the next: several servers are ' +
    'behind this address, each with counters of its own',
  unreported:
    'reports neither run_id nor master_replid: a restart from older data, which allows used quota ' +
    'again, cannot be noticed',
} as const satisfies Record<Exclude<EpochVerdict, 'steady'>, string>;
