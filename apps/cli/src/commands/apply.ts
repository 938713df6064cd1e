import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { applyFile } from '../apply/apply.ts';
import { readCeibaFile } from '../apply/read.ts';
import { jsonOf, reportOf } from '../apply/report.ts';
import { withDatabase } from '../database.ts';
import { readSettings } from '../env.ts';
import { badInput, CliError } from '../errors.ts';
import { printJson, printLines, type World } from '../world.ts';

/** `ceiba apply`: policies as code. */
export function applyCommand(program: Command, world: World): void {
  program
    .command('apply')
    .description('apply plans, projects and policies from a file; safe to repeat')
    .requiredOption('-f, --file <path>', 'the file, YAML or JSON; - reads standard input')
    .option('--json', 'print the projects as JSON, with the secrets of new ones')
    .addHelpText('after', '\nA new owner gets the password in CEIBA_OWNER_PASSWORD.')
    .action(async ({ file: path, json }: { file: string; json?: true }) => {
      const name = path === '-' ? 'standard input' : path;
      const checked = readCeibaFile(name, await readText(path, name, world));
      const { ownerPassword } = readSettings(world.env, world.cwd);
      const applied = await withDatabase(world, (ctx) =>
        applyFile(ctx, checked, { random: world.random, ownerPassword }),
      );
      if (applied.projects.some(({ projectSecret }) => projectSecret !== null)) world.onSecret();
      if (json) printJson(world, jsonOf(applied));
      else printLines(world, reportOf(applied));
    });
}

/** Far larger than any real file, and still cheap to read. */
const LONGEST_FILE_BYTES = 4 * 1024 * 1024;

async function readText(path: string, name: string, world: World): Promise<string> {
  const stream = path === '-' ? world.stdin : createReadStream(resolve(world.cwd, path));
  const bytes = await readBytes(stream, name);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badInput(`${name} is not UTF-8 text.`);
  }
}

async function readBytes(stream: NodeJS.ReadableStream, name: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      length += chunks.at(-1)?.byteLength ?? 0;
      if (length > LONGEST_FILE_BYTES) throw badInput(`${name} is longer than 4 MiB.`);
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw badInput(`${name} cannot be read: ${UNREADABLE[code] ?? code}.`);
  }
  return Buffer.concat(chunks);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
};
