import { setApiKeyLimits } from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { badInput } from '../../errors.ts';
import { noKey } from '../../not-found.ts';
import { limitOrNone, orNull, uuid } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';

interface LimitOptions {
  project: string;
  key: string;
  rate?: number | 'none';
  quota?: number | 'none';
  json?: true;
}

/** Adds `ceiba key set-limits`. */
export function setLimitsCommand(key: Command, world: World): void {
  key
    .command('set-limits')
    .description("set a key's own limits, in addition to its project's plan")
    .requiredOption('--project <id>', 'the project that the key belongs to', uuid)
    .requiredOption('--key <id>', 'the key (its id, not the key itself)', uuid)
    .option('--rate <number>', 'requests per minute, or none', limitOrNone)
    .option('--quota <number>', 'requests per month, or none', limitOrNone)
    .option('--json', 'print the limits as JSON')
    .action(async (options: LimitOptions) => {
      if (options.rate === undefined && options.quota === undefined) {
        throw badInput('Nothing to change: give --rate or --quota.');
      }
      await setLimits(world, options);
    });
}

async function setLimits(world: World, { project, key, rate, quota, json }: LimitOptions) {
  const result = await withDatabase(world, (ctx) =>
    setApiKeyLimits(ctx, {
      projectId: project,
      apiKeyId: key,
      limits: {
        ...(rate === undefined ? {} : { rateLimitPerMinute: orNull(rate) }),
        ...(quota === undefined ? {} : { monthlyQuota: orNull(quota) }),
      },
    }),
  );
  if (result.kind === 'not_found') throw noKey(project, key);
  if (result.kind === 'conflict') {
    throw badInput(`Key ${key} is ${result.status}: only the limits of an active key can be set.`, {
      field: '--key',
    });
  }
  const { rateLimitPerMinute, monthlyQuota } = result.limits;
  if (json) {
    return printJson(world, {
      projectId: project,
      apiKeyId: key,
      rateLimitPerMinute,
      monthlyQuota,
    });
  }
  printLines(world, [
    `Limits of ${result.displayName}, in addition to the project's plan:`,
    `  requests per minute  ${rateLimitPerMinute ?? 'none'}`,
    `  requests per month   ${monthlyQuota ?? 'none'}`,
  ]);
}
