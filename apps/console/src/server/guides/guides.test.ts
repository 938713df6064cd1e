import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderGuides } from '../../../render-guides.mjs';
import { GUIDE_TOPICS } from '../../lib/guide-topics.ts';
import type { GuideGroup } from './guide.ts';
import { searchGuides } from './search-guides.ts';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url));
const catalog = JSON.parse(readFileSync(new URL('./catalog.guides', import.meta.url), 'utf8'));
const groups: GuideGroup[] = renderGuides(catalog, repository);
const guides = groups.flatMap((group) => group.guides);
const addresses = new Set(
  guides.flatMap(({ slug, sections }) =>
    sections.map(({ id }) => `/docs/${slug}${id === '' ? '' : `#${id}`}`),
  ),
);
const htmlOf = (slug: string) =>
  guides
    .find((guide) => guide.slug === slug)
    ?.blocks.map((block) => ('html' in block ? block.html : ''))
    .join('') ?? '';

describe('the guides of the console', () => {
  it('link only to pages and sections that exist', () => {
    const broken = guides.flatMap(({ slug }) =>
      [...htmlOf(slug).matchAll(/<a href="([^"]+)"/g)]
        .map(([, href = '']) => (href.startsWith('#') ? `/docs/${slug}${href}` : href))
        .filter((href) => !href.startsWith('http') && !addresses.has(href))
        .map((href) => `${slug}: ${href}`),
    );
    expect(broken).toEqual([]);
  });

  it('name a file of the repository that has no page, instead of linking to it', () => {
    expect(htmlOf('http-api')).toContain('ADR 0005 (<code>docs/adr/0005-path-rules.md</code>)');
  });

  it('show every code block with what is copied', () => {
    const [first] =
      guides
        .find(({ slug }) => slug === 'client-library')
        ?.blocks.filter(({ kind }) => kind === 'code') ?? [];
    expect(first).toMatchObject({
      language: 'js',
      code: expect.stringMatching(/^\/\/ ceiba\.mjs\n/),
    });
  });

  it('have no empty header cells, which screen readers would announce', () => {
    expect(guides.filter(({ slug }) => htmlOf(slug).includes('<th></th>'))).toEqual([]);
    expect(htmlOf('operations')).toContain('<th>Part</th>');
  });

  it('explain each page that links to them', () => {
    const missing = Object.values(GUIDE_TOPICS).filter(({ href }) => !addresses.has(href));
    expect(missing).toEqual([]);
  });
});

describe('a search in the guides', () => {
  it('finds a section by words of its title and text, the title first', () => {
    const [first, ...others] = searchGuides(guides, 'Failover postgres');
    expect(first).toMatchObject({
      href: '/docs/consistency#failover-of-postgres',
      guide: 'Consistency',
    });
    expect(others.map(({ href }) => href)).toContain('/docs/operations#when-something-is-down');
  });

  it('shows the text around the first word', () => {
    const [found] = searchGuides(guides, 'min-replicas-max-lag');
    expect(found?.excerpt).toContain('min-replicas-max-lag');
    expect(found?.excerpt.length).toBeLessThan(200);
  });

  it('finds nothing without a word, or with a word that no section has', () => {
    expect(searchGuides(guides, ' ')).toEqual([]);
    expect(searchGuides(guides, 'quota xylophone')).toEqual([]);
  });
});
