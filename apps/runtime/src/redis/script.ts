import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisClient } from '@ceiba/process/redis';
import { Cluster } from 'ioredis';

/** A Lua script; it runs on the server that holds its keys. */
export interface Script {
  /**
   * @param keys - Every key that the script touches.
   * @returns the reply, not parsed yet
   */
  run(client: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown>;
}

type Argument = string | number;

/**
 * Calls by digest, and by text if the server does not know the script: after a restart, on another
 * primary or after `SCRIPT FLUSH`. `NOSCRIPT` means that nothing has run.
 */
export function createScript(text: string): Script {
  const digest = createHash('sha1').update(text).digest('hex');
  return {
    async run(client, keys, args) {
      writeTogether(client);
      try {
        return await client.evalsha(digest, keys.length, ...keys, ...args);
      } catch (error) {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return await client.eval(text, keys.length, ...keys, ...args);
      }
    },
  };
}

/**
 * Sends the commands of one turn of the event loop in one write: decisions that shared a lookup charge
 * in the same turn, and a system call per command costs more than the command.
 */
function writeTogether(client: RedisClient): void {
  if (client instanceof Cluster || !client.stream || client.stream.writableCorked > 0) return;
  const { stream } = client;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Reads a script from the folder of the calling module; the build copies the `.lua` files into the
 * folder of the bundle.
 *
 * @example const charge = createScript(readScript('./charge.lua', import.meta.url));
 */
export function readScript(path: string, moduleUrl: string): string {
  return readFileSync(new URL(path, moduleUrl), 'utf8');
}
