import { type FileHandle, open, unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { badInput, failure, withRemedy } from './errors.ts';
import { printJson, printLines, type World } from './world.ts';

/** The options of a command that creates a secret. */
export interface SecretOptions {
  json?: true;
  showSecret?: true;
  secretFile?: string;
}

export const addSecretOptions = (command: Command): Command =>
  command
    .option('--secret-file <path>', 'write the secret to a new file that only this user may read')
    .option('--show-secret', 'print the secret although the output is not a terminal');

/** Whether stdout may hold a secret: at a terminal, or where it was asked for. */
export const printsSecrets = (
  { stdout }: World,
  { json, showSecret, secretFile }: SecretOptions,
): boolean => secretFile === undefined && (stdout.isTTY === true || !!json || !!showSecret);

/** What to do when the output with a new project secret was lost. */
export const LOST_PROJECT_SECRET =
  'the new project secret may be lost: create another one with ceiba project rotate-secret.';

/** @param what what would be printed, as the subject of a sentence */
export const secretNotShown = (what: string) =>
  badInput(
    `${what} would be printed to something other than a terminal, such as the log of a pipeline. ` +
      'Nothing was changed. Add --secret-file <path>, --show-secret or --json.',
    { code: 'secret_not_shown', field: '--secret-file' },
  );

/** A secret that a command creates, and how it is printed. */
interface NewSecret<Field extends string, Made extends Readonly<Record<Field, string>>> {
  /** Of the result, which has the secret. */
  field: Field;
  create(): Promise<Made>;
  /** What a program gets: as JSON, and in a file of secrets. */
  forPrograms(made: Made): object;
  /** Comes before the secret, which is shown only once. */
  heading: string;
  /** As the subject of a sentence, where the secret is in a file. */
  name: string;
  /** What is lost with the output, and what to do then; completes a sentence. */
  remedy: string;
  /** @param secret its heading and itself, or which file has it */
  lines(made: Made, secret: readonly string[]): string[];
}

/** Creates a secret and prints the result, with the secret where it may be printed. @throws CliError */
export async function createSecret<Field extends string, Made extends Record<Field, string>>(
  world: World,
  options: SecretOptions,
  { field, create, forPrograms, heading, name, remedy, lines }: NewSecret<Field, Made>,
): Promise<void> {
  const { json, secretFile } = options;
  const isShown = printsSecrets(world, options);
  if (!isShown && secretFile === undefined) throw secretNotShown('The new secret');
  const file = { path: secretFile, remedy };
  const made = await withSecretFile(world, file, create, forPrograms);
  if (isShown) world.onSecret(remedy);
  if (json)
    return printJson(world, { ...forPrograms(made), [field]: isShown ? made[field] : null });
  const secret = isShown ? [heading, `  ${made[field]}`] : [`${name} is in ${secretFile}.`];
  printLines(world, lines(made, secret));
}

/** How a new secret of a key is printed. */
export const KEY_SECRET = {
  field: 'plaintextKey',
  heading: 'The key, shown only once (only its caller may have it):',
  name: 'The key itself',
} as const;

/**
 * Runs a command that may create secrets, with a file for them if one was asked for. The file is
 * created first, so that a secret is never created that cannot be written, and removed again if there
 * is nothing for it.
 *
 * @param secretsOf what the file gets as JSON; null if the result has no secret
 * @throws CliError when the file exists or cannot be written; with the remedy, where there may be a
 *   secret by then
 */
export async function withSecretFile<T>(
  world: World,
  { path, remedy }: { path: string | undefined; remedy: string },
  action: () => Promise<T>,
  secretsOf: (result: T) => object | null,
): Promise<T> {
  if (path === undefined) return withRemedy(action(), remedy);
  const file = resolve(world.cwd, path);
  const handle = await createFile(file, path);
  let secrets: object | null = null;
  try {
    const result = await withRemedy(action(), remedy);
    secrets = secretsOf(result);
    if (secrets !== null) {
      await writeSecrets(handle, secrets).catch(({ code }: NodeJS.ErrnoException) => {
        throw failure(`The change was made, but ${path} was not written (${code}), and ${remedy}`);
      });
    }
    return result;
  } finally {
    await handle.close();
    if (secrets === null) await unlink(file);
  }
}

/** Closes the file as well: some file systems report only then that it is not written. */
async function writeSecrets(handle: FileHandle, secrets: object): Promise<void> {
  await handle.writeFile(`${JSON.stringify(secrets, null, 2)}\n`);
  await handle.sync();
  await handle.close();
}

async function createFile(file: string, shown: string): Promise<FileHandle> {
  return open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    const problem =
      error.code === 'EEXIST'
        ? 'exists already. Give another path; if the file is empty, an interrupted run left it.'
        : `cannot be created (${error.code}).`;
    throw badInput(`${shown} ${problem} Nothing was changed.`, { field: '--secret-file' });
  });
}
