import { type Check, error, ok, warning } from './check.ts';

const OLDEST_MAJOR = 7;

/** What a server reports about itself in INFO, by name. */
export type Info = ReadonlyMap<string, string>;

/** Parses the lines `name:value` of INFO. @see https://redis.io/docs/latest/commands/info/ */
export function infoOf(text: string): Info {
  return new Map(
    text
      .split(/\r?\n/)
      .filter((line) => !line.startsWith('#') && line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
}

/** Checks version, role, mode and durability. */
export function checkInfo(info: Info, isCluster: boolean): Check[] {
  if (isTrialServer(info)) return [checkVersion(info), TRIAL_SERVER];
  return [
    checkVersion(info),
    ...(isCluster ? [] : [checkRole(info)]),
    checkMode(info, isCluster),
    checkPersistence(info),
    checkEviction(info),
  ];
}

/** The server written in JavaScript, which `npm start` uses when no Redis is installed. */
export const isTrialServer = (info: Info) => info.get('os') === 'mocked redis';

const TRIAL_SERVER = warning(
  'redis persistence',
  'the JavaScript server that npm start uses when no Redis is installed: it stores nothing on disk',
  'Fine for a trial. In production, set REDIS_URL to Redis or Valkey 7 or newer.',
);

function checkVersion(info: Info): Check {
  const valkey = info.get('valkey_version');
  const version = valkey ?? info.get('redis_version') ?? '0';
  const name = `${valkey === undefined ? 'Redis' : 'Valkey'} ${version}`;
  return Number.parseInt(version, 10) >= OLDEST_MAJOR
    ? ok('redis version', name)
    : error('redis version', name, 'Upgrade to Redis or Valkey 7 or newer.');
}

const checkRole = (info: Info) =>
  info.get('role') === 'master'
    ? ok('redis role', 'primary')
    : error('redis role', 'a replica, which cannot charge', 'Point REDIS_URL at the primary.');

function checkMode(info: Info, isCluster: boolean): Check {
  const serverIsCluster = info.get('redis_mode') === 'cluster';
  const mode = serverIsCluster ? 'a node of a cluster' : 'a single server';
  if (serverIsCluster === isCluster) return ok('redis mode', mode);
  return error(
    'redis mode',
    `${mode}, but REDIS_CLUSTER is ${isCluster ? 'true' : 'not set'}`,
    `Set REDIS_CLUSTER=${serverIsCluster}, for the Runtime too.`,
  );
}

function checkPersistence(info: Info): Check {
  const name = 'redis persistence';
  const isEnabled = info.get('aof_enabled');
  if (isEnabled === '1') return ok(name, 'append-only file');
  const remedy = `Run CONFIG SET appendonly yes, and set it in redis.conf${OR_AT_PROVIDER}.`;
  return isEnabled === undefined
    ? warning(name, 'the server does not report whether it has an append-only file', remedy)
    : error(
        name,
        'no append-only file: a restart loses the counts of this minute and unflushed usage',
        remedy,
      );
}

function checkEviction(info: Info): Check {
  const name = 'redis maxmemory-policy';
  const policy = info.get('maxmemory_policy');
  if (policy === 'noeviction') return ok(name, policy);
  const remedy = `Run CONFIG SET maxmemory-policy noeviction, and set it in redis.conf${OR_AT_PROVIDER}.`;
  return policy === undefined
    ? warning(name, 'the server does not report what it does when it is full', remedy)
    : error(name, `${policy}: a full server evicts counters`, remedy);
}

/** Managed servers often refuse CONFIG. */
const OR_AT_PROVIDER = "; for a managed server, use the provider's settings";

/** INFO has this line only if `min-replicas-to-write` is set. */
export const checkReplicas = (info: Info): Check =>
  info.has('min_slaves_good_slaves')
    ? ok('redis min-replicas-to-write', 'set')
    : warning(
        'redis min-replicas-to-write',
        'not set: a primary that loses its replicas and sentinels continues to count',
        'Set min-replicas-to-write 1 and min-replicas-max-lag 10 on every server.',
      );
