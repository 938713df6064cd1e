import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a built file is newer than its sources, each a file or a folder. */
export function isFresh(built: string, sources: readonly string[]): boolean {
  if (!existsSync(built)) return false;
  const builtAtMs = statSync(built).mtimeMs;
  return sources.every((source) => newestUnder(source) < builtAtMs);
}

/** The modification time of the newest file, in ms since 1970. */
function newestUnder(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).mtimeMs;
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(path, file)).mtimeMs));
}
