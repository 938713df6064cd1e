import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { isInstalled } from './install.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ceiba-install-'));
  mkdirSync(join(folder, 'node_modules'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const locked = {
  '': { version: '1.0.0' },
  'packages/own': { version: '0.1.0' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/for-another-platform': { version: '2.0.0', optional: true },
};

function write(path: string, packages: unknown) {
  writeFileSync(join(folder, path), JSON.stringify({ packages }));
}

describe('isInstalled', () => {
  it('is true when npm recorded every package that this platform needs', () => {
    write('package-lock.json', locked);
    write('node_modules/.package-lock.json', { 'node_modules/a': locked['node_modules/a'] });
    expect(isInstalled(folder)).toBe(true);
  });

  it.each([
    ['is missing', {}],
    ['has another version', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['has other content', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
  ])('is false when a package %s', (_, installed) => {
    write('package-lock.json', locked);
    write('node_modules/.package-lock.json', installed);
    expect(isInstalled(folder)).toBe(false);
  });

  it('is false after an interrupted install: npm writes its record last', () => {
    write('package-lock.json', locked);
    expect(isInstalled(folder)).toBe(false);
  });
});
