import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import GithubSlugger from 'github-slugger';
import { expect, it } from 'vitest';

/* What the documents refer to exists: files, headings and migrations. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string) => text.replace(/^```.*?^```$/gms, '');

function anchorsOf(path: string): string[] {
  const slugger = new GithubSlugger();
  const headings = withoutCode(read(path)).matchAll(/^#+ (.+)$/gm);
  return [...headings].map(([, title = '']) =>
    slugger.slug(title.replace(/[`*]|\]\([^)]*\)/g, '')),
  );
}

/** The links of a page that lead nowhere. */
function deadLinks(path: string): string[] {
  const links = withoutCode(read(path)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g);
  return [...links].flatMap(([, href = '']) => {
    const [file = '', anchor] = href.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    const isThere =
      existsSync(join(root, target)) &&
      (anchor === undefined || !target.endsWith('.md') || anchorsOf(target).includes(anchor));
    return isThere ? [] : [`${path}: ${href}`];
  });
}

it('each link leads to a file, and to a heading of it', () => {
  expect(pages.length).toBeGreaterThan(50);
  expect(pages.flatMap(deadLinks)).toEqual([]);
});

it('each migration that the guides name is one of this build', () => {
  const migrations = readdirSync(join(root, 'drizzle')).map((name) => name.replace('.sql', ''));
  const named = pages
    .filter((path) => path.startsWith('docs/') && !path.startsWith('docs/adr/'))
    .flatMap((path) => read(path).match(/\b20\d{12}_\w+/g) ?? []);
  expect(named).not.toEqual([]);
  expect(named.filter((name) => !migrations.includes(name))).toEqual([]);
});
