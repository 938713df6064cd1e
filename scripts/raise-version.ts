import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

/** The files, apart from manifests, that have the version of the packages. A pattern matches it alone. */
export const PLACES = [
  { file: 'charts/ceiba/Chart.yaml', pattern: /(?<=^(?:version|appVersion): )\S+$/gm },
  { file: 'clients/python/pyproject.toml', pattern: /(?<=^version = ")[^"]+/gm },
  { file: 'packages/contract/src/openapi/document.ts', pattern: /(?<=^ {4}version: ')[^']+/gm },
  { file: 'packages/contract/openapi.json', pattern: /(?<=^ {4}"version": ")[^"]+/gm },
  { file: 'packages/manage/src/openapi.ts', pattern: /(?<=^ {4}version: ')[^']+/gm },
  { file: 'packages/manage/openapi.json', pattern: /(?<=^ {4}"version": ")[^"]+/gm },
];

const edit = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')));

const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));

/** What follows `changeset version`, in the folder of the repository. */
function raise() {
  const { version } = readJson('packages/sdk/package.json');
  for (const { file, pattern } of PLACES) edit(file, (text) => text.replace(pattern, version));
  edit('CHANGELOG.md', (text) => text.replace(/(?<=^## \S+) \(unreleased\)$/m, ''));
  // The commit below this change has the release's source: later migrations are checked against it.
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const migration = readJson('drizzle/meta/_journal.json').entries.at(-1).tag;
  const release = JSON.stringify({ commit, migration }, null, 2);
  writeFileSync('drizzle/previous-release.json', `${release}\n`);
}

if (import.meta.filename === process.argv[1]) raise();
