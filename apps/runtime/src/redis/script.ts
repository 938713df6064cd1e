import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
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
 * Reads a script that lies beside the module that asks for it; the build copies the `.lua` files
 * beside the bundle.
 *
 * @example const charge = createScript(readScript('./charge.lua', import.meta.url));
 */
export function readScript(path: string, moduleUrl: string): string {
  return readFileSync(new URL(path, moduleUrl), 'utf8');
}
