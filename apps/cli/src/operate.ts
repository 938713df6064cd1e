import { accessNeeded, type Operation, runOperation } from '@ceiba/manage';
import type { z } from 'zod';
import { asChange, withDatabase } from './database.ts';
import { readSettings } from './env.ts';
import { type Perform, remotely, serverOf } from './remote.ts';
import type { World } from './world.ts';

export type { Perform };

/**
 * Runs operations: through a console, as the user of an access token, or else on the database, as the
 * operator.
 *
 * @throws Refusal; CliError that says what to do when the console or the database is unreachable, or the
 *   database lacks migrations; of these UnconfirmedError for a change that may have been made
 */
export async function performing<T>(
  world: World,
  run: (perform: Perform) => Promise<T>,
): Promise<T> {
  const server = serverOf(world);
  if (server !== null) return run(remotely(server));
  return withDatabase(world, (ctx, db) => {
    const { ownerPassword } = readSettings(world.env, world.cwd);
    const call = {
      ctx,
      db,
      by: { kind: 'operator', ownerPassword } as const,
      random: world.random,
    };
    return run((operation, input) => {
      const ran = runOperation(operation, call, input);
      return accessNeeded(operation, input) === 'write' ? asChange(ran) : ran;
    });
  });
}

/** Runs one operation, as {@link performing}. */
export const perform = <Input extends z.ZodObject, Output extends z.ZodType>(
  world: World,
  operation: Operation<Input, Output>,
  input: z.input<Input>,
): Promise<z.input<Output>> => performing(world, (run) => run(operation, input));
