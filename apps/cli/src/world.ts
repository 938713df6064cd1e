import type { RandomBytes } from '@ceiba/domain';

/** The process's environment as an argument: all that a command uses except the servers. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Results; with `--json` nothing else. */
  stdout: NodeJS.WritableStream & { isTTY?: boolean };
  /** Errors, prompts and advice. */
  stderr: NodeJS.WritableStream;
  random: RandomBytes;
  /** Aborted when no one reads stdout any more: a command that goes on until then ends. */
  closed: AbortSignal;
  /**
   * Called before a new secret is written to stdout: from then on, lost output is a lost secret.
   *
   * @param remedy what to do then, as a sentence
   */
  onSecret(remedy: string): void;
}

/** Prints a result for a program. */
export function printJson(world: World, value: unknown): void {
  world.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a result for a user. */
export function printLines(world: World, lines: readonly string[]): void {
  world.stdout.write(`${lines.join('\n')}\n`);
}

/** Users choose names, callers choose paths and methods: nothing of them may control the terminal. */
export const printable = (text: string) => text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
