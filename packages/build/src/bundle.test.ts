import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';

import { bundleApp } from './bundle.mjs';

it('keeps the program of the build before while a change does not compile, and takes the next', async () => {
  const app = mkdtempSync(join(tmpdir(), 'ceiba-bundle-'));
  mkdirSync(join(app, 'src'));
  const write = (code: string) => writeFileSync(join(app, 'src/main.ts'), code);
  const program = join(app, 'dist.dev/main.js');
  write('console.log("one");');
  const builds = await bundleApp(app, { watch: true });
  try {
    await vi.waitFor(() => expect(existsSync(program)).toBe(true), 10_000);
    write('console.log(;');
    await expect(builds?.rebuild()).rejects.toThrow('Unexpected ";"');
    expect(readFileSync(program, 'utf8')).toContain('"one"');
    write('console.log("two");');
    await vi.waitFor(() => expect(readFileSync(program, 'utf8')).toContain('"two"'), 10_000);
  } finally {
    await builds?.dispose();
    rmSync(app, { recursive: true });
  }
});
