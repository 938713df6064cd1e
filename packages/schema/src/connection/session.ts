/**
 * What a session of Ceiba does not leave to the defaults of a server, database or role. A setting is
 * here if the reading or the meaning of a statement depends on it; `session.test.ts` walks through
 * all others.
 *
 * Not here: `bytea_output`, because {@link bytea} reads both formats; `client_min_messages`, because
 * each transaction sets it (`confirmed-commits.ts`); `default_transaction_read_only`, with which a
 * provider protects a full disk.
 */
const READABLE = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  standard_conforming_strings: 'on',
} as const;

/** Settings that PgBouncer 1.18 refuses: see `pooler.ts` and docs/adr/0013-pgbouncer.md. */
const OPTIONAL = {
  /** Compiling a statement took two seconds, running it a few ms: none of ours is long. */
  jit: 'off',
  /** A process that freezes in a transaction must not hold its locks. */
  idle_in_transaction_session_timeout: 5_000,
  /** The longest there is: a pool that was idle must not fail the next decision. */
  idle_session_timeout: 2_147_483_647,
  /** An error of one statement must not end the session. */
  exit_on_error: 'off',
  /** A stricter level makes single statements fail when they meet (rule cap-under-lock). */
  default_transaction_isolation: 'read committed',
  /** Otherwise NULL in a list of texts reads as the word. */
  array_nulls: 'on',
  /** Fewer digits round counts. */
  extra_float_digits: '1',
  /** Above 0, a search in an index finds a random part. */
  gin_fuzzy_search_limit: '0',
} as const;

export const SESSION_SETTINGS = { ...READABLE, ...OPTIONAL };

/** Settings that a pool can do without behind a pooler: those above, and those of one purpose. */
export const OPTIONAL_SETTINGS: readonly string[] = [
  ...Object.keys(OPTIONAL),
  'plan_cache_mode',
  'statement_timeout',
];

/** A setting that a session should have, and how to give it to the role. */
export interface MissingSetting {
  name: string;
  value: string;
}

/** @param current the settings of a session by name, as `pg_settings` shows them */
export const missingSettings = (current: ReadonlyMap<string, string>): MissingSetting[] =>
  Object.entries(OPTIONAL)
    .map(([name, value]) => ({ name, value: String(value) }))
    .filter(({ name, value }) => {
      const found = current.get(name) ?? '';
      return found !== value && !AS_GOOD[name]?.(found);
    });

/** Values as good as ours: any limit of an idle transaction, and none of an idle session. */
const AS_GOOD: Readonly<Record<string, (found: string) => boolean>> = {
  idle_in_transaction_session_timeout: (found) => found !== '0',
  idle_session_timeout: (found) => found === '0',
};

/** Reads `bytea_output` of both kinds: behind a pooler the default of the database applies. */
export const bytea = {
  to: 17,
  from: [17],
  serialize: (bytes: Uint8Array) => `\\x${Buffer.from(bytes).toString('hex')}`,
  parse: (text: string): Buffer =>
    text.startsWith('\\x') ? Buffer.from(text.slice(2), 'hex') : fromEscapeFormat(text),
};

/** @see https://www.postgresql.org/docs/current/datatype-binary.html#DATATYPE-BINARY-BYTEA-ESCAPE-FORMAT */
const fromEscapeFormat = (text: string): Buffer =>
  Buffer.from(
    text.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
      code === '\\' ? code : String.fromCharCode(Number.parseInt(code, 8)),
    ),
    'latin1',
  );
