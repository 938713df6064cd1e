import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Cluster } from 'ioredis';
import type { RedisClient } from './client.ts';

/** A Lua script that runs on whichever server holds its keys. */
export interface Script {
  /**
   * @param keys - Every key that the script touches.
   * @returns the reply as Redis sent it, yet to be parsed
   */
  run(client: RedisClient, keys: readonly string[], args: readonly Argument[]): Promise<unknown>;
}

type Argument = string | number;

/**
 * Calls by digest, and by text where the server does not know the script yet: after a restart, on
 * another primary, after `SCRIPT FLUSH`. `NOSCRIPT` means that nothing has run.
 */
export function createScript(text: string): Script {
  const digest = createHash('sha1').update(text).digest('hex');
  return {
    async run(client, keys, args) {
      writeTogether(client);
      try {
        return await client.evalsha(digest, keys.length, ...keys, ...args);
      } catch (fault) {
        if (!(fault instanceof Error) || !fault.message.startsWith('NOSCRIPT')) throw fault;
        return await client.eval(text, keys.length, ...keys, ...args);
      }
    },
  };
}

/**
 * Commands of one turn of the event loop leave in one write: decisions that shared a lookup charge
 * in the same turn, and a system call for each of them costs more than the command.
 */
function writeTogether(client: RedisClient): void {
  if (client instanceof Cluster || !client.stream || client.stream.writableCorked > 0) return;
  const { stream } = client;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Reads a script that lies beside the module that asks for it; the build copies the `.lua` files
 * beside the bundle.
 *
 * @example const charge = createScript(readScript('./charge.lua', import.meta.url));
 */
export function readScript(path: string, moduleUrl: string): string {
  return readFileSync(new URL(path, moduleUrl), 'utf8');
}
