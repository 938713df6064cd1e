import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { builtSdk, loadSdk, type Sdk } from './sdk.ts';

/** A text of the built package, and its replacement. */
export interface Sabotage {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Loads a copy of the built package with one text replaced. The copy is removed after the test.
 *
 * @throws Error when the file does not contain the text
 */
export async function loadBrokenSdk({ file, from, to }: Sabotage): Promise<Sdk> {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-sdk-mutant-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(builtSdk, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const path = join(folder, file);
  const code = readFileSync(path, 'utf8');
  if (!code.includes(from)) throw new Error(`${file} no longer contains ${JSON.stringify(from)}`);
  writeFileSync(path, code.replace(from, to));
  return loadSdk(folder);
}
