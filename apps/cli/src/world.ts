import type { RandomBytes } from '@ceiba/domain';

/** All that a command may touch besides the servers: the process's surroundings, as arguments. */
export interface World {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  /** What was asked for: results, and nothing else under `--json`. */
  stdout: NodeJS.WritableStream;
  /** What a person is told: errors, prompts, advice. */
  stderr: NodeJS.WritableStream;
  random: RandomBytes;
  /** Told before a new secret goes to stdout: output that is lost from then on is a lost secret. */
  onSecret(): void;
}

/** Prints a result for a program. */
export function printJson(world: World, value: unknown): void {
  world.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Prints a result for a person. */
export function printLines(world: World, lines: readonly string[]): void {
  world.stdout.write(`${lines.join('\n')}\n`);
}
