import { SettingsError } from '@ceiba/process/settings';
import type { Command } from 'commander';
import { hostOf, requireNoServer } from '../database.ts';
import { type Check, error, ok } from '../doctor/check.ts';
import { checkDatabase } from '../doctor/database.ts';
import { checkRedis } from '../doctor/redis.ts';
import { type Address, readSettings, type Settings } from '../env.ts';
import { CliError, failure } from '../errors.ts';
import { printJson, printLines, type World } from '../world.ts';

/** `ceiba doctor`: a check of the installation, which changes nothing of it. */
export function doctorCommand(program: Command, world: World): void {
  program
    .command('doctor')
    .description('check settings, servers and migrations, and say what to do')
    .option('--json', 'print the checks as JSON')
    .action(async ({ json }: { json?: true }) => {
      requireNoServer(world);
      const checks = await examine(world);
      const count = (status: Check['status']) =>
        checks.filter((check) => check.status === status).length;
      const [errors, warnings] = [count('error'), count('warning')];
      if (json) printJson(world, { ok: errors === 0, checks });
      else printLines(world, checks.flatMap(linesOf));
      const summary = `${plural(errors, 'error')}, ${plural(warnings, 'warning')}`;
      if (errors > 0) throw failure(`${summary}: fix the errors and run this again`);
      if (!json) printLines(world, ['', warnings === 0 ? 'All is well.' : `${summary}.`]);
    });
}

async function examine(world: World): Promise<Check[]> {
  const settings = settingsOf(world);
  if (Array.isArray(settings)) return settings;
  const { database, redis, redisIsCluster, sentinelPassword } = settings;
  const [ofDatabase, ofRedis] = await Promise.all([
    database === undefined ? [] : checkDatabase(database),
    redis === undefined ? [] : checkRedis(redis, redisIsCluster, sentinelPassword),
  ]);
  return [
    addressCheck('DATABASE_URL', database, 'postgres://user@host:5432/ceiba'),
    addressCheck('REDIS_URL', redis, 'redis://host:6379'),
    ...ofDatabase,
    ...ofRedis,
  ];
}

function settingsOf(world: World): Settings | Check[] {
  try {
    return readSettings(world.env, world.cwd);
  } catch (cause) {
    if (!(cause instanceof SettingsError || cause instanceof CliError)) throw cause;
    const problems = cause instanceof SettingsError ? cause.problems : [cause.message];
    return problems.map((problem) =>
      error('settings', problem, 'Fix the setting and run this again.'),
    );
  }
}

const addressCheck = (name: string, address: Address | undefined, example: string) =>
  address === undefined
    ? error(name, 'is not set', `Set it, for example to ${example}, or run: npm start`)
    : ok(name, `${hostOf(address.url)} (from ${address.source})`);

function linesOf({ name, status, detail, remedy }: Check): string[] {
  const line = `${status.padEnd(7)}  ${name.padEnd(27)}  ${detail}`;
  return remedy === null ? [line] : [line, `         ${' '.repeat(27)}  → ${remedy}`];
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
