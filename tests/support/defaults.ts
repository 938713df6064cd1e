import { withConnection } from '@ceiba/devstack/databases';

/** Defaults that an operator may have chosen for another program, and that a driver may misread. */
export const MISREADABLE = {
  bytea_output: 'escape',
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  standard_conforming_strings: 'off',
  client_encoding: 'LATIN1',
  client_min_messages: 'error',
  quote_all_identifiers: 'on',
  transform_null_equals: 'on',
  xmlbinary: 'hex',
};

/** More of them. A session behind PgBouncer cannot set these; `ceiba doctor` names them there. */
export const REFUSED_BY_POOLERS = {
  extra_float_digits: '-15',
  array_nulls: 'off',
  default_transaction_isolation: 'serializable',
  exit_on_error: 'on',
  idle_session_timeout: '1',
  gin_fuzzy_search_limit: '1',
};

/** Sets defaults of a database, for the sessions that begin afterwards. */
export async function setDefaults(
  databaseUrl: string,
  defaults: Readonly<Record<string, string>>,
): Promise<void> {
  await withConnection(databaseUrl, async (sql) => {
    for (const [setting, value] of Object.entries(defaults)) {
      const [row] = await sql<{ statement: string }[]>`
        select format('alter database %I set %s = %L', current_database(), ${setting}::text,
          ${value}::text) as statement`;
      if (row !== undefined) await sql.unsafe(row.statement);
    }
  });
}
