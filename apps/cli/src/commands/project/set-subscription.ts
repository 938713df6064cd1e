import type { SubscriptionStatus } from '@ceiba/contract';
import {
  findPlanByName,
  getSubscription,
  listPlans,
  setSubscription,
  type VerbContext,
} from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { badInput, failure } from '../../errors.ts';
import { noProject } from '../../not-found.ts';
import { instantOrNone, orNull, subscriptionStatus, uuid } from '../../options.ts';
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
      const changed = await withDatabase(world, (ctx) => changeSubscription(ctx, options));
      if (json) return printJson(world, changed);
      printLines(world, [
        `plan                ${changed.plan}`,
        `status              ${changed.status}`,
        `current period end  ${changed.currentPeriodEnd ?? 'none'}`,
        `allows requests     ${changed.admits ? 'yes' : 'no'}`,
      ]);
    });
}

async function changeSubscription(
  ctx: VerbContext,
  { project: projectId, plan, status, currentPeriodEnd }: SubscriptionOptions,
) {
  const planId = plan === undefined ? undefined : await planIdOf(ctx, plan);
  const { kind } = await setSubscription(ctx, {
    projectId,
    ...(planId === undefined ? {} : { planId }),
    ...(status === undefined ? {} : { status }),
    ...(currentPeriodEnd === undefined ? {} : { currentPeriodEnd: orNull(currentPeriodEnd) }),
  });
  if (kind === 'not_found') throw noProject(projectId);
  if (kind === 'plan_not_found')
    throw badInput('The project has no plan yet: give --plan.', { field: '--plan' });
  const now = await getSubscription(ctx.db, projectId);
  if (now === null) throw failure('The project has just been deleted.');
  return {
    projectId,
    plan: now.plan.name,
    status: now.status,
    currentPeriodEnd: now.currentPeriodEnd?.toISOString() ?? null,
    admits: now.admits,
  };
}

async function planIdOf(ctx: VerbContext, name: string): Promise<string> {
  const plan = await findPlanByName(ctx.db, name);
  if (plan !== null) return plan.planId;
  const names = (await listPlans(ctx.db)).map((known) => known.name).join(', ');
  throw badInput(`There is no plan "${name}"; the plans are ${names}.`, { field: '--plan' });
}
