/**
 * What a Redis server reports of the lifetime of its data. `charge.lua` makes a counter's epoch of
 * the same two names: another `run_id` is another start, another `master_replid` another primary.
 *
 * @param info - The sections `server` and `replication` of INFO.
 * @returns null where it reports neither; the server in JavaScript reports zeros
 */
export function epochOf(info: string): string | null {
  const [runId, replicationId] = ['run_id', 'master_replid'].map(
    (name) => new RegExp(`^${name}:([0-9a-f]+)`, 'm').exec(info)?.[1] ?? '',
  );
  const epoch = `${runId}${replicationId}`;
  return /[1-9a-f]/.test(epoch) ? epoch : null;
}

/** A script, since a proxy can answer INFO itself: the charge asks from within the server, too. */
export const EPOCH_SCRIPT =
  "return redis.call('INFO', 'server') .. redis.call('INFO', 'replication')";

/** How often to ask, over how many connections in turn: a balancer may choose by connection. */
export const EPOCH_SAMPLES = { rounds: 25, connections: 4 } as const;

export type EpochVerdict = 'steady' | 'changing' | 'unreported';

/**
 * @param epochs - In the order in which they were asked for. One change is a restart or a failover
 *   that happened just then; an epoch that comes back, or a third one, is another server.
 */
export function judgeEpochs(epochs: readonly (string | null)[]): EpochVerdict {
  const changes = epochs.filter((epoch, index) => index > 0 && epoch !== epochs[index - 1]).length;
  if (changes > 1) return 'changing';
  return epochs.at(-1) === null ? 'unreported' : 'steady';
}

/** Each verdict that is none to work with, in words that go behind the name of the server. */
export const EPOCH_PROBLEMS = {
  changing:
    'reports another run_id or master_replid from one command to the next: several servers are ' +
    'behind this address, each with counters of its own',
  unreported:
    'reports neither run_id nor master_replid: a restart from older data, which hands quota out ' +
    'again, cannot be noticed',
} as const satisfies Record<Exclude<EpochVerdict, 'steady'>, string>;
