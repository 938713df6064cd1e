import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { applyFile } from '../apply/apply.ts';
import { readCeibaFile } from '../apply/read.ts';
import { jsonOf, reportOf } from '../apply/report.ts';
import { withDatabase } from '../database.ts';
import { readSettings } from '../env.ts';
import { badInput } from '../errors.ts';
import { printJson, printLines, type World } from '../world.ts';

/** `ceiba apply`: policies as code. */
export function applyCommand(program: Command, world: World): void {
  program
    .command('apply')
    .description('make plans, projects and policies what a file says; safe to run again')
    .requiredOption('-f, --file <path>', 'the file, YAML or JSON; - reads standard input')
    .option('--json', 'print the projects as JSON, with the secrets of new ones')
    .addHelpText(
      'after',
      '\nAn owner who has no account yet gets the password in CEIBA_OWNER_PASSWORD.',
    )
    .action(async ({ file: path, json }: { file: string; json?: true }) => {
      const name = path === '-' ? 'standard input' : path;
      const checked = readCeibaFile(name, await readText(path, name, world));
      const { ownerPassword } = readSettings(world.env, world.cwd);
      const applied = await withDatabase(world, (ctx) =>
        applyFile(ctx, checked, { random: world.random, ownerPassword }),
      );
      if (json) printJson(world, jsonOf(applied));
      else printLines(world, reportOf(applied));
    });
}

async function readText(path: string, name: string, world: World): Promise<string> {
  const bytes =
    path === '-' ? await buffer(world.stdin) : await readBytes(resolve(world.cwd, path));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badInput(`${name} is not UTF-8 text.`);
  }
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : 'unknown fault';
    throw badInput(`${path} cannot be read (${code}).`);
  }
}
