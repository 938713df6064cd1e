import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

import { LauncherError } from './errors.ts';
import { createSupervisor, temporaryFolder } from './supervisor.ts';

const isRoot = process.geteuid?.() === 0;

it('says what to do about a data folder of another user, also one that was prepared', async () => {
  const dataDir = temporaryFolder('ceiba-foreign-');
  onTestFinished(() => {
    // Root may write everywhere.
    if (isRoot) process.seteuid?.(0);
    chmodSync(dataDir, 0o711);
    rmSync(dataDir, { recursive: true });
  });
  mkdirSync(join(dataDir, 'logs'));
  chmodSync(dataDir, 0o555);
  if (isRoot) process.seteuid?.(65_534);
  const refusal = await createSupervisor({ dataDir }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(LauncherError);
  expect(refusal).toMatchObject({
    message: `Cannot write to the data folder ${dataDir}.`,
    hint: expect.stringContaining('CEIBA_DATA_DIR'),
  });
});
