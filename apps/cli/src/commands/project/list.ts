import { listProjectsWithOwner, type ProjectWithOwner } from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { table } from '../../table.ts';
import { printJson, printLines, type World } from '../../world.ts';

/** Adds `ceiba project list`. */
export function listProjectsCommand(project: Command, world: World): void {
  project
    .command('list')
    .description('list the projects of all owners, with their ids')
    .option('--json', 'print the projects as JSON')
    .action(async ({ json }: { json?: true }) => {
      const projects = await withDatabase(world, (_, db) => listProjectsWithOwner(db));
      const rows = projects.map(rowOf).sort(byNameAndOwner);
      if (json) return printJson(world, { projects: rows });
      printLines(world, rows.length === 0 ? [NO_PROJECT] : table(HEADS, rows.map(cellsOf)));
    });
}

const NO_PROJECT = 'There is no project yet. ceiba apply creates those of a file.';

type Row = ReturnType<typeof rowOf>;

const rowOf = ({ projectId, name, ownerEmail, subscription }: ProjectWithOwner) => ({
  projectId,
  name,
  ownerEmail,
  plan: subscription?.plan.name ?? null,
  status: subscription?.status ?? null,
  currentPeriodEnd: subscription?.currentPeriodEnd?.toISOString() ?? null,
  admits: subscription?.admits ?? false,
});

/** The order of a database depends on its collation; two owners may have projects of one name. */
const byNameAndOwner = (a: Row, b: Row) =>
  compare(a.name, b.name) || compare(a.ownerEmail, b.ownerEmail);

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

const cellsOf = ({ projectId, name, ownerEmail, plan, status, admits }: Row) => [
  projectId,
  ownerEmail,
  plan ?? 'none',
  status ?? 'none',
  admits ? 'yes' : 'no',
  name,
];

const HEADS = ['id', 'owner', 'plan', 'status', 'allows requests', 'name'];
