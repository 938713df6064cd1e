import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { badInput, CliError } from './errors.ts';
import type { World } from './world.ts';

interface InputRules {
  mebibytesMax: number;
  /** What has to change if the file cannot be read, such as an option. */
  field: string;
}

/** What to call a file in errors; `-` is standard input. */
export const nameOfInput = (path: string) => (path === '-' ? 'standard input' : path);

/**
 * The text of a file, or of standard input for `-`.
 *
 * @throws CliError when it cannot be read, is not UTF-8 or is too long
 */
export async function readInput(world: World, path: string, rules: InputRules): Promise<string> {
  const name = nameOfInput(path);
  const stream = path === '-' ? world.stdin : createReadStream(resolve(world.cwd, path));
  const bytes = await readBytes(stream, name, rules);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw badInput(`${name} is not UTF-8 text.`, rules);
  }
}

async function readBytes(
  stream: NodeJS.ReadableStream,
  name: string,
  rules: InputRules,
): Promise<Buffer> {
  const { mebibytesMax } = rules;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk));
      length += chunks.at(-1)?.byteLength ?? 0;
      if (length > mebibytesMax * 1024 * 1024) {
        throw badInput(`${name} is longer than ${mebibytesMax} MiB.`, rules);
      }
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw badInput(`${name} cannot be read: ${UNREADABLE[code] ?? code}.`, rules);
  }
  return Buffer.concat(chunks);
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read it',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
};
