import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds the console and completes its standalone output: Next.js does not copy the static files and
 * the public folder, without which pages have no scripts.
 */
const here = fileURLToPath(new URL('.', import.meta.url));
const nextCli = createRequire(import.meta.url).resolve('next/dist/bin/next');

packServedPackages(join(here, 'public'));

const build = spawnSync(process.execPath, [nextCli, 'build'], {
  cwd: here,
  stdio: 'inherit',
  env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' },
});
if (build.status !== 0) process.exit(build.status ?? 1);

const standalone = join(here, '.next/standalone/apps/console');
for (const [from, to] of [
  ['.next/static', '.next/static'],
  ['public', 'public'],
]) {
  const target = join(standalone, to);
  rmSync(target, { recursive: true, force: true });
  if (existsSync(join(here, from))) cpSync(join(here, from), target, { recursive: true });
}

prepareServer(join(standalone, 'server.js'));

/**
 * Gives the server that Next.js generates what is ours, since it is the program that runs: its port is
 * the setting, idle connections outlive those of a balancer, and `::` means every address, also without
 * IPv6.
 */
function prepareServer(file) {
  const server = readFileSync(file, 'utf8');
  for (const name of ['PORT', 'KEEP_ALIVE_TIMEOUT', 'HOSTNAME']) {
    if (!server.includes(`process.env.${name}`)) throw new Error(`${file} does not read ${name}`);
  }
  const hasIpv6 =
    'Object.values(networkInterfaces()).flat().some((address) => address.family === "IPv6")';
  const lines = [
    'import { networkInterfaces } from "node:os";',
    "process.env.KEEP_ALIVE_TIMEOUT ||= '65000';",
    'if (process.env.CONSOLE_PORT) process.env.PORT = process.env.CONSOLE_PORT;',
    `if (process.env.HOSTNAME === '::' && !${hasIpv6}) process.env.HOSTNAME = '0.0.0.0';`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n${server}`);
}

/**
 * Packs `@ceiba/sdk` and `@ceiba/cli`, which are built already: `npm install` takes them from the
 * console, in the version that fits this installation.
 */
function packServedPackages(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  pack('packages/sdk', join(folder, 'ceiba-sdk.tgz'));
  pack('apps/cli', join(folder, 'ceiba-cli.tgz'));
}

function pack(name, file) {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-pack-'));
  const { npm_execpath: npm } = process.env;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = [...first, 'pack', '--ignore-scripts', '--pack-destination', folder];
  const packed = spawnSync(command, args, {
    cwd: fileURLToPath(new URL(`../../${name}`, import.meta.url)),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (packed.status !== 0) process.exit(packed.status ?? 1);
  const [packedFile] = readdirSync(folder);
  cpSync(join(folder, packedFile), file);
  rmSync(folder, { recursive: true });
}
