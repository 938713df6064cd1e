import type { PooledDatabase } from '../postgres-model.ts';
import { machine, processOf } from './machine.ts';

/** Replaces `createDatabase` of the schema with connections to the model. */
export const createDatabase = (
  url: string,
  options: { statementTimeoutMs?: number } = {},
): PooledDatabase => machine().postgres.open(processOf(url), options.statementTimeoutMs);

/** A simulated URL names one server, without encryption. */
export const serversOf = (url: string) => [[url]];
