import type { SubscriptionStatus } from '@ceiba/contract';
import { setProjectSubscription } from '@ceiba/manage';
import type { Command } from 'commander';
import { badInput } from '../../errors.ts';
import { perform } from '../../operate.ts';
import { instantOrNone, subscriptionStatus, textOf, uuid } from '../../options.ts';
import { printJson, printLines, type World } from '../../world.ts';

interface SubscriptionOptions {
  project: string;
  plan?: string;
  status?: SubscriptionStatus;
  currentPeriodEnd?: Date | 'none';
  json?: true;
}

/** Adds `ceiba project set-subscription`. */
export function setSubscriptionCommand(project: Command, world: World): void {
  project
    .command('set-subscription')
    .description("change a project's subscription; takes effect with the next decision")
    .requiredOption('--project <id>', 'the project', uuid)
    .option('--plan <name>', 'the name of the plan')
    .option('--status <status>', 'active, trialing, past_due or canceled', subscriptionStatus)
    .option(
      '--current-period-end <time>',
      'when the subscription ends (RFC 3339), or none',
      instantOrNone,
    )
    .option('--json', 'print the subscription as JSON')
    .action(async (options: SubscriptionOptions) => {
      const { plan, status, currentPeriodEnd, json } = options;
      if (plan === undefined && status === undefined && currentPeriodEnd === undefined) {
        throw badInput('Nothing to change: give --plan, --status or --current-period-end.');
      }
      const changed = await perform(world, setProjectSubscription, {
        ...{ projectId: options.project, plan, status },
        currentPeriodEnd: textOf(currentPeriodEnd),
      });
      if (json) return printJson(world, changed);
      printLines(world, [
        `plan                ${changed.plan}`,
        `status              ${changed.status}`,
        `current period end  ${changed.currentPeriodEnd ?? 'none'}`,
        `allows requests     ${changed.admits ? 'yes' : 'no'}`,
      ]);
    });
}
