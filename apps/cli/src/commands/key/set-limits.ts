import { listLimits } from '@ceiba/domain';
import { setKeyLimits } from '@ceiba/manage';
import type { Command } from 'commander';
import { badInput } from '../../errors.ts';
import { described, flagOf } from '../../flags.ts';
import { perform } from '../../operate.ts';
import { addLimitOptions, limitsOf, type OwnLimitOptions } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type KeyOptions, ofKey } from './shared.ts';

interface LimitOptions extends OwnLimitOptions, KeyOptions {}

/** Adds `ceiba key set-limits`. */
export function setLimitsCommand(key: Command, world: World): void {
  const command = ofKey(key.command('set-limits').description(described(setKeyLimits)));
  addLimitOptions(command)
    .option('--json', 'print the limits as JSON')
    .action(async (options: LimitOptions) => {
      if (listLimits((_, { option }) => options[option]).every((limit) => limit === undefined)) {
        const all = listLimits((_, field) => flagOf(field)).join(' or ');
        throw badInput(`Nothing to change: give ${all}.`);
      }
      await setLimits(world, options);
    });
}

async function setLimits(world: World, { project, key, json, ...options }: LimitOptions) {
  const ref = { projectId: project, apiKeyId: key };
  const { displayName, ...limits } = await perform(world, setKeyLimits, {
    ...ref,
    ...limitsOf(options),
  });
  if (json) return printJson(world, limits);
  printLines(world, [
    `Limits of ${displayName}, in addition to the project's plan:`,
    ...listLimits(
      (name, { window }) => `  ${`requests per ${window}`.padEnd(19)}  ${limits[name] ?? 'none'}`,
    ),
  ]);
}
