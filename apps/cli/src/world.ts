import { withoutCredentials } from '@ceiba/contract/redaction';
import type { RandomBytes } from '@ceiba/domain';
import { printable } from '@ceiba/manage';

/** The process's environment as an argument: all that a command uses except the servers. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** The console that `--server` names. */
  server?: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Results; with `--json` nothing else. */
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  /** Errors, prompts and advice. */
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
  random: RandomBytes;
  /** Aborted when no one reads stdout any more: a command that goes on until then ends. */
  closed: AbortSignal;
  /**
   * Called before a new secret is written to stdout: from then on, lost output is a lost secret.
   *
   * @param remedy what is lost then, and what to do; completes a sentence
   */
  onSecret(remedy: string): void;
}

/** JSON for a program, in which nothing controls the terminal: `JSON.stringify` leaves DEL and C1 as they are. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /(?!\n)\p{Cc}/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Prints a result for a program. */
export function printJson(world: World, value: unknown): void {
  world.stdout.write(`${jsonText(value, 2)}\n`);
}

/** Prints a result for a user. */
export function printLines(world: World, lines: readonly string[]): void {
  world.stdout.write(`${lines.map(printable).join('\n')}\n`);
}

/** Prints an error or advice, of one or several lines. */
export function printAdvice(world: World, text: string): void {
  world.stderr.write(`${withoutCredentials(text).split('\n').map(printable).join('\n')}\n`);
}
