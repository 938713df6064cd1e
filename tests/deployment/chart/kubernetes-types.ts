import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { fetchPackage } from '../../support/fetched-package.ts';
import type { Manifest } from '../../support/helm.ts';

const run = promisify(execFile);
/** The objects of Kubernetes, and those of Prometheus's operator. */
const PACKAGES = {
  'kubernetes-models': '5.1.0',
  '@kubernetes-models/prometheus-operator': '6.0.0',
} as const;

const compiler = fileURLToPath(
  new URL('../../../node_modules/typescript/bin/tsc', import.meta.url),
);

/**
 * What is wrong with these objects by the schemas of Kubernetes: by its JSON schemas, which allow
 * unknown fields, and by the types that are generated from them, which do not.
 *
 * @returns one line per problem; null where npm cannot reach a registry
 */
export async function problemsOf(manifests: readonly Manifest[]): Promise<string[] | null> {
  const problems: string[] = [];
  for (const [name, version] of Object.entries(PACKAGES)) {
    const modules = await fetchPackage(name, version);
    if (modules === null) return null;
    const own = manifests.filter((manifest) => packageOf(manifest) === name);
    problems.push(...(await problemsWith(modules, own)));
  }
  return problems;
}

async function problemsWith(modules: string, manifests: readonly Manifest[]): Promise<string[]> {
  if (manifests.length === 0) return [];
  const folder = mkdtempSync(join(modules, '..', 'manifests-'));
  try {
    const invalid = await Promise.all(manifests.map((manifest) => validate(modules, manifest)));
    return [...invalid.flat(), ...(await compile(folder, manifests))];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const packageOf = ({ apiVersion }: Manifest): keyof typeof PACKAGES =>
  apiVersion.startsWith('monitoring.coreos.com/')
    ? '@kubernetes-models/prometheus-operator'
    : 'kubernetes-models';

const moduleOf = (manifest: Manifest) =>
  `${packageOf(manifest)}/${manifest.apiVersion}/${manifest.kind}`;

async function validate(modules: string, manifest: Manifest): Promise<string[]> {
  const address = pathToFileURL(join(modules, `${moduleOf(manifest)}.js`)).href;
  const { [manifest.kind]: Model } = await import(address);
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${error}`];
  }
}

/** A literal that has a field which its type lacks is an error, at every depth. */
async function compile(folder: string, manifests: readonly Manifest[]): Promise<string[]> {
  for (const [index, manifest] of manifests.entries()) {
    const { kind } = manifest;
    const type = `import type { I${kind} } from '${moduleOf(manifest)}';`;
    const text = `${type}\nexport const manifest: I${kind} = ${JSON.stringify(manifest, null, 1)};\n`;
    writeFileSync(join(folder, `${index}-${kind}.ts`), text);
  }
  const options = { strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'nodenext' };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }));
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
  return stdout.split('\n').filter((line: string) => line.includes('error TS'));
}
