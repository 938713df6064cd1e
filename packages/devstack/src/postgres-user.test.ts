import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LauncherError } from './errors.ts';
import { postgresHome } from './postgres-user.ts';

it('a copy of a data folder without its database is no empty database', ({ onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-home-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [dataDir, elsewhere] = [join(folder, 'data'), join(folder, 'elsewhere')];
  mkdirSync(dataDir);
  symlinkSync(join(elsewhere, 'postgres'), join(dataDir, 'postgres'));
  const open = () => postgresHome({ programs: join(folder, 'programs'), dataDir });
  expect(open).toThrow(LauncherError);
  expect(open).toThrow(elsewhere);
});
