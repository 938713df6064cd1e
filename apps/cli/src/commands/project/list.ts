import { listProjects } from '@ceiba/manage';
import type { Command } from 'commander';
import type { z } from 'zod';
import { described } from '../../flags.ts';
import { perform } from '../../operate.ts';
import { table } from '../../table.ts';
import { printJson, printLines, type World } from '../../world.ts';

/** Adds `ceiba project list`. */
export function listProjectsCommand(project: Command, world: World): void {
  project
    .command('list')
    .description(described(listProjects))
    .option('--json', 'print the projects as JSON')
    .action(async ({ json }: { json?: true }) => {
      const { projects } = await perform(world, listProjects, {});
      if (json) return printJson(world, { projects });
      printLines(world, projects.length === 0 ? [NO_PROJECT] : table(HEADS, projects.map(cellsOf)));
    });
}

const NO_PROJECT = 'There is no project yet. ceiba apply creates those of a file.';

type Row = z.input<typeof listProjects.output>['projects'][number];

const cellsOf = ({ projectId, name, ownerEmail, plan, status, admits }: Row) => [
  projectId,
  ownerEmail,
  plan ?? 'none',
  status ?? 'none',
  admits ? 'yes' : 'no',
  name,
];

const HEADS = ['id', 'owner', 'plan', 'status', 'allows requests', 'name'];
