import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { withSecretFile } from './secret-output.ts';
import type { World } from './world.ts';

const cwd = mkdtempSync(join(tmpdir(), 'ceiba-secret-'));
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  rmSync(cwd, { recursive: true, force: true });
});

test.each(['writeFile', 'sync'] as const)(
  'a file of secrets whose %s fails is reported with what was done, its path and what to do',
  async (step) => {
    const probe = await open(tmpdir());
    const fault = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    const failing = vi.spyOn(Object.getPrototypeOf(probe), step);
    await probe.close();
    failing.mockRejectedValueOnce(fault);
    const file = { path: `${step}.json`, remedy: 'the new key is lost: revoke it.' };
    const writing = withSecretFile(
      { cwd } as World,
      file,
      async () => ({ key: 'a' }),
      (made) => made,
    );
    await expect(writing).rejects.toMatchObject({
      message: `The change was made, but ${step}.json was not written (ENOSPC), and the new key is lost: revoke it.`,
      exitCode: 1,
    });
    expect(statSync(join(cwd, `${step}.json`)).isFile()).toBe(true);
  },
);
