import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { LauncherError } from './errors.ts';
import { dataDirSecrets } from './secrets.ts';
import { temporaryFolder } from './supervisor.ts';

function dataFolder() {
  const folder = temporaryFolder('ceiba-secrets-');
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('creates the secrets of a data folder once', () => {
  const folder = dataFolder();
  const secrets = dataDirSecrets(folder);
  expect(dataDirSecrets(folder)).toEqual(secrets);
});

it.each(['', '{"postgresPassword":"a', 'null', '{"postgresPassword":"a"}'])(
  'names a file of secrets that cannot be read, and leaves it alone: %s',
  (text) => {
    const folder = dataFolder();
    const file = join(folder, 'secrets.json');
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(file, text);
    expect(() => dataDirSecrets(folder)).toThrow(LauncherError);
    expect(() => dataDirSecrets(folder)).toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);
