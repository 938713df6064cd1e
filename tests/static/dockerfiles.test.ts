import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { RUNTIME_FLAGS } from '@ceiba/devstack/programs';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const workspaces = tracked
  .filter((path) => /^((packages|apps|examples)\/[^/]+|bench)\/package\.json$/.test(path))
  .map((path) => ({ path, manifest: JSON.parse(read(path)) as Manifest }));

/** The manifests of these workspaces and of all that they depend on. */
function manifestsFor(names: Iterable<string>): Set<string> {
  const needed = new Set(names);
  for (const name of needed) {
    const { dependencies, devDependencies } = workspaces.find(
      ({ manifest }) => manifest.name === name,
    )!.manifest;
    for (const other of Object.keys({ ...dependencies, ...devDependencies })) {
      if (other.startsWith('@ceiba/')) needed.add(other);
    }
  }
  const isNeeded = ({ manifest }: { manifest: Manifest }) => needed.has(manifest.name);
  return new Set(workspaces.filter(isNeeded).map(({ path }) => path));
}

/** The arguments of each instruction of a kind, with its continuation lines. */
function instructionsOf(file: string, kind: string): string[] {
  const lines = read(file).replaceAll(/\\\n\s*/g, '');
  return [...lines.matchAll(new RegExp(`^${kind} (.*)$`, 'gm'))].map(([, text]) => text!);
}

/** Runs the image's health check against a server on loopback. */
async function checkHealth(file: string, variable: string, port: number): Promise<number> {
  const [text = ''] = instructionsOf(file, 'HEALTHCHECK');
  const [, ...args] = JSON.parse(text.slice(text.indexOf('['))) as string[];
  const check = spawn(process.execPath, args, { env: { [variable]: String(port) } });
  const [code] = await once(check, 'exit');
  return code;
}

/** `.github/workflows/images.yml` builds and starts the images; this needs no Docker. */
describe.each([
  { file: 'Dockerfile.runtime', variable: 'RUNTIME_PORT', health: '/health' },
  { file: 'Dockerfile.console', variable: 'PORT', health: '/api/version' },
])('$file', ({ file, variable, health }) => {
  const stages = instructionsOf(file, 'FROM').map((text) => text.split(' AS '));
  const names = stages.map(([, name]) => name);
  const copies = instructionsOf(file, 'COPY').map((text) => text.split(' ').slice(0, -1));

  it('starts each stage from a pinned major version of Node, and runs without root', () => {
    expect(instructionsOf(file, 'USER')).toEqual(['node']);
    for (const [index, [base]] of stages.entries()) {
      if (!names.slice(0, index).includes(base)) expect(base).toMatch(/^node:\d+-slim$/);
    }
  });

  it('copies only files that are in git, and from stages that exist', () => {
    for (const [first = '', ...others] of copies) {
      if (first.startsWith('--from=')) {
        expect(names).toContain(first.slice('--from='.length));
        continue;
      }
      for (const source of [first, ...others].filter((each) => each !== '.')) {
        expect(tracked.filter((path) => `${path}/`.startsWith(`${source}/`))).not.toEqual([]);
      }
    }
  });

  it('copies the manifest of every workspace that it installs, and of no other', () => {
    const installed = instructionsOf(file, 'RUN').flatMap((text) => [
      ...text.matchAll(/--workspace (\S+)/g),
    ]);
    const copied = copies.flat().filter((path) => path.endsWith('/package.json'));
    expect(new Set(copied)).toEqual(manifestsFor(installed.map(([, name]) => name!)));
  });

  it('is healthy while it serves, and unhealthy once it does not', async () => {
    const server = createServer((request, reply) => {
      reply.writeHead(request.url === health ? 200 : 404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await checkHealth(file, variable, port)).toBe(0);
    server.close();
    await once(server, 'close');
    expect(await checkHealth(file, variable, port)).toBe(1);
  });
});

it('the image starts the Runtime with the flags of Node that npm start and the benchmarks use', () => {
  const program = 'apps/runtime/dist/main.js';
  const [command = ''] = instructionsOf('Dockerfile.runtime', 'CMD').slice(-1);
  expect(JSON.parse(command)).toEqual(['node', ...RUNTIME_FLAGS, program]);
  const { scripts } = JSON.parse(read('apps/runtime/package.json'));
  expect(scripts.start).toBe(['node', ...RUNTIME_FLAGS, 'dist/main.js'].join(' '));
});

it('.dockerignore keeps secrets, history and generated files out of the images', () => {
  const ignored = read('.dockerignore').split('\n');
  const generated = ['node_modules', 'dist*', '.next', '.turbo'].map((name) => `**/${name}`);
  expect(ignored).toEqual(
    expect.arrayContaining(['.git', '.env', '.ceiba', 'tests', ...generated]),
  );
});
