import { createDatabase, SESSION_SETTINGS } from '@ceiba/schema';
import { describe, expect, it } from 'vitest';
import { MISREADABLE, REFUSED_BY_POOLERS, setDefaults } from '../../../support/defaults.ts';
import { useBench } from '../support.ts';

const bench = useBench({ maxConnections: 1 });

/** Categories of `pg_settings` that change costs, logs or limits, and no answer. */
const WITHOUT_ANSWERS =
  /^(Query Tuning|Reporting and Logging|Resource Usage|Statistics|Vacuuming|Write-Ahead Log|Developer Options|Replication|Connections and Authentication)\b/;

/** The settings of the other categories that a session leaves to the operator, and why it may. */
const LEFT: Record<string, string> = {
  IntervalStyle: 'no statement returns an interval',
  backslash_quote: 'no statement has an escape string',
  bytea_output: 'the driver reads both formats',
  check_function_bodies: 'migrations create functions after what they use',
  client_encoding: 'the driver sets UTF8',
  client_min_messages: 'each transaction sets it',
  createrole_self_grant: 'no statement creates roles',
  default_table_access_method: 'where tables are stored is up to the operator',
  default_tablespace: 'where tables are stored is up to the operator',
  default_text_search_config: 'no statement searches text by words',
  default_toast_compression: 'how tables are stored is up to the operator',
  default_transaction_deferrable: 'concerns serializable transactions',
  default_transaction_read_only: 'providers set it where a disk is full',
  escape_string_warning: 'no statement has an escape string',
  gin_pending_list_limit: 'changes costs',
  icu_validation_level: 'no statement creates collations',
  lc_messages: 'errors are known by their codes',
  lc_monetary: 'no statement formats money',
  lc_numeric: 'no statement formats numbers by locale',
  lc_time: 'no statement names months or days',
  local_preload_libraries: 'up to the operator',
  lock_timeout: 'a limit of the operator; a statement that exceeds it fails',
  quote_all_identifiers: 'no statement reads definitions',
  restrict_nonsystem_relation_kind: 'a statement that it stops fails',
  row_security: 'no table has such policies',
  search_path: 'statements run in the schema that the operator chose',
  statement_timeout: 'each purpose sets it, or leaves it to the operator',
  synchronize_seqscans: 'lists name their order',
  temp_tablespaces: 'where tables are stored is up to the operator',
  timezone_abbreviations: 'times are sent in UTC',
  transaction_deferrable: 'of one transaction',
  transaction_isolation: 'of one transaction',
  transaction_read_only: 'of one transaction',
  transaction_timeout: 'a limit of the operator; a transaction that exceeds it fails',
  transform_null_equals: 'no statement compares with NULL',
  xmlbinary: 'no statement has XML',
  xmloption: 'no statement has XML',
};

describe('the settings of a session', () => {
  it('include every one that an answer depends on, by a walk through those of the server', async () => {
    const rows = await bench.db.sql<{ name: string; category: string }[]>`
      select name, category from pg_settings where context = 'user' and category <> 'Customized Options'`;
    const undecided = rows
      .filter(({ category }) => !WITHOUT_ANSWERS.test(category))
      .map(({ name }) => name)
      .filter((name) => !(name in SESSION_SETTINGS) && !(name in LEFT));
    expect(undecided).toEqual([]);
  });

  it('win over the defaults of the database, and what they leave is read the same', async () => {
    await setDefaults(bench.url, { ...MISREADABLE, ...REFUSED_BY_POOLERS });
    const other = createDatabase(bench.url, { maxConnections: 1 });
    try {
      const [row] = await other.sql`
        select '\\x00ff5c41'::bytea as bytes, '2026-02-03T04:05:06Z'::timestamptz as at,
          123456789012345::float8 as number, '{NULL}'::text[] as texts,
          current_setting('bytea_output') as format`;
      expect(row).toEqual({
        bytes: Buffer.from('00ff5c41', 'hex'),
        at: '2026-02-03 04:05:06+00',
        number: 123_456_789_012_345,
        texts: expect.anything(),
        format: 'escape',
      });
      const [texts] = await other.sql`select ('{NULL}'::text[])[1] is null as "isNull"`;
      expect(texts).toEqual({ isNull: true });
      const wanted = Object.entries(SESSION_SETTINGS);
      const found = await other.sql<{ name: string; setting: string }[]>`
        select name, setting from pg_settings`;
      const settings = new Map(found.map((it) => [it.name, it.setting]));
      for (const [setting, value] of wanted) expect(settings.get(setting)).toMatch(String(value));
    } finally {
      await other.close();
    }
  });
});
