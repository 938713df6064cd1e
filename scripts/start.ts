/**
 * `npm start`: starts all of Ceiba on a machine that has only Node and npm, with a demo to try, and
 * runs until Ctrl-C. `npm run dev` does the same, but the Runtime starts again and the console reloads
 * after each change of their source, while the databases keep running.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

import { runMain, supervised } from '@ceiba/devstack/lifecycle';
import { bold, cyan, dim, print } from '@ceiba/devstack/output';
import { requireFreePorts } from '@ceiba/devstack/ports';
import { readJson } from '@ceiba/devstack/secrets';
import { loadEnvFile, readSettings, root, type Settings } from '@ceiba/devstack/settings';
import { type Stack, type StackOptions, stackFileIn, withStack } from '@ceiba/devstack/stack';
import type { Supervisor } from '@ceiba/devstack/supervisor';

import { prepare } from './prepare.ts';

const reload = parseArgs({ options: { reload: { type: 'boolean' } } }).values.reload === true;
const command = reload ? 'run dev' : 'start';

await runMain(async () => {
  loadEnvFile();
  const settings = readSettings(process.env);
  const { dataDir } = settings;
  const exitCode = await supervised((supervisor) => serve(supervisor, settings), {
    dataDir,
    removeOnEnd: [stackFileIn(dataDir)],
    onInterrupt() {
      print();
      print('  Stopping …');
      return 0;
    },
  });
  if (exitCode === 0)
    print(`  Stopped. ${dim(`npm ${command} starts it again with the same data.`)}`);
  return exitCode;
});

/** @returns Rejects when something fails; otherwise runs until it is stopped. */
async function serve(supervisor: Supervisor, settings: Settings): Promise<never> {
  const { ports } = settings;
  await requireFreePorts([
    { name: 'Runtime', variable: 'RUNTIME_PORT', port: ports.runtime },
    { name: 'console', variable: 'CONSOLE_PORT', port: ports.console },
    { name: 'example API', variable: 'HOST_PORT', port: ports.host },
    ...(typeof ports.metrics === 'number'
      ? [{ name: 'metrics', variable: 'METRICS_PORT', port: ports.metrics }]
      : []),
  ]);
  greet();
  const services = await prepare(supervisor, settings, {
    // Next.js compiles it in memory.
    without: reload ? ['@ceiba/console'] : [],
  });
  const options: StackOptions = { programs: ['runtime', 'console', 'host'], ports, reload };
  return withStack(supervisor, services, options, (stack) => {
    invite(stack, settings);
    return new Promise(() => {});
  });
}

function greet() {
  const version = readJson(join(root, 'apps/runtime/package.json'))?.version;
  print();
  print(`  ${bold('Ceiba')} ${dim(String(version))}`);
  if (!reload && !existsSync(join(root, 'apps/console/.next/standalone'))) {
    print(dim('  The first start builds the programs: one to two minutes on two cores.'));
  }
  print();
}

function invite({ runtimeUrl, consoleUrl, hostUrl, metricsUrl, demo }: Stack, settings: Settings) {
  if (demo === undefined) return;
  const offer = (answer: string, path: string, apiKey: string) => {
    print(`    ${answer}`);
    print(`         ${cyan(`curl -i ${hostUrl}${path} -H 'Authorization: Bearer ${apiKey}'`)}`);
  };
  print();
  print(`  ${bold('Console')}      ${cyan(consoleUrl)}`);
  print(`               sign in as ${demo.ownerEmail} with the password ${demo.ownerPassword}`);
  print(`  ${bold('Runtime')}      ${cyan(runtimeUrl)}`);
  if (metricsUrl !== undefined) {
    print(`  ${bold('Metrics')}      ${cyan(`${metricsUrl}/metrics`)} ${dim('for Prometheus')}`);
  }
  print(`  ${bold('Example API')}  ${cyan(hostUrl)} ${dim('asks the Runtime about each request')}`);
  print(
    `               ${dim(`for the project “demo”, ${consoleUrl}/projects/${demo.projectId}`)}`,
  );
  print();
  print(`  ${bold('Try it')}       run one of these in another terminal`);
  offer('200  allowed: a policy of the demo project matches', '/v1/reports', demo.apiKey);
  offer('403  service_forbidden: no policy matches', '/v1/billing', demo.apiKey);
  offer('401  service_unauthorized: the key does not exist', '/v1/reports', 'nonsense');
  print();
  print(dim(`  Ctrl-C stops everything. Data and logs are in ${nameOf(settings.dataDir)}`));
}

/** @returns Relative where it lies in the repository. */
function nameOf(folder: string): string {
  const inside = relative(root, folder);
  return inside.startsWith('..') ? folder : `${inside}/`;
}
