import { randomBytes } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a file that only its owner may read, atomically.
 *
 * @param {string} file
 * @param {unknown} value
 */
export function writePrivateJson(file, value) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

/**
 * @param {string} file
 * @returns {Record<string, unknown> | undefined} Undefined when it is missing or no JSON object.
 */
export function readJson(file) {
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
 * @param {string} dataDir
 * @returns {{ postgresPassword: string, consoleSecret: string }}
 */
export function dataDirSecrets(dataDir) {
  const file = join(dataDir, 'secrets.json');
  const stored = readJson(file);
  const { postgresPassword, consoleSecret } = stored ?? {};
  if (typeof postgresPassword === 'string' && typeof consoleSecret === 'string') {
    return { postgresPassword, consoleSecret };
  }
  const secrets = { postgresPassword: randomSecret(), consoleSecret: randomSecret() };
  writePrivateJson(file, secrets);
  return secrets;
}

/** @returns {string} 192 random bits, safe in a URL. */
export function randomSecret() {
  return randomBytes(24).toString('base64url');
}
