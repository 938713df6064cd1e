import type { PooledDatabase } from '../postgres-model.ts';
import { machine, processOf } from './machine.ts';

/** In place of `createDatabase` of the schema: connections to the model. */
export const createDatabase = (
  url: string,
  options: { statementTimeoutMs?: number } = {},
): PooledDatabase => machine().postgres.open(processOf(url), options.statementTimeoutMs);

/** A simulated address is that of one host. */
export const hostsOf = (url: string) => [url];
