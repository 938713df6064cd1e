import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { codeOf, LauncherError } from './errors.ts';

/** Writes a file that only its owner may read, atomically. */
export function writePrivateJson(file: string, value: unknown) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/** @returns Undefined when it is missing or no JSON object. */
export function readJson(file: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the random secrets of a data folder, created on first use.
 *
 * @throws {LauncherError} When they are there and cannot be read: a new password would not open the database.
 */
export function dataDirSecrets(dataDir: string): {
  postgresPassword: string;
  consoleSecret: string;
} {
  const file = join(dataDir, 'secrets.json');
  try {
    const { postgresPassword, consoleSecret } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof postgresPassword === 'string' && typeof consoleSecret === 'string') {
      return { postgresPassword, consoleSecret };
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return createSecrets(file);
  }
  throw new LauncherError(`${file} cannot be read. It has the only password of the database.`, {
    hint: 'Restore it and its rights. Without a copy, set CEIBA_DATA_DIR to a new folder and start again.',
  });
}

function createSecrets(file: string) {
  const secrets = { postgresPassword: randomSecret(), consoleSecret: randomSecret() };
  writePrivateJson(file, secrets);
  return secrets;
}

/** @returns 192 random bits, safe in a URL. */
export function randomSecret(): string {
  return randomBytes(24).toString('base64url');
}
