import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { renderGuides } from '../../../render-guides.mjs';
import { KINDS } from '../../lib/entities.ts';
import { JOURNEYS } from '../../lib/guide-topics.ts';
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
  it.each(['docs/learn', 'docs/run', 'docs/reference'])('are all of %s', (folder) => {
    const files = readdirSync(`${repository}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${folder}/${file}`);
    const served = catalog.flatMap((group: { guides: { file: string }[] }) =>
      group.guides.map(({ file }) => file),
    );
    // Its charts are pictures, of which guides have none.
    const others = files.filter((file) => file !== 'docs/reference/performance.md');
    expect(others.filter((file) => !served.includes(file))).toEqual([]);
  });

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
        .find(({ slug }) => slug === 'sdk-in-production')
        ?.blocks.filter(({ kind }) => kind === 'code') ?? [];
    expect(first).toMatchObject({
      language: 'js',
      code: expect.stringMatching(/^\/\/ ceiba\.mjs\n/),
    });
  });

  it('have no code block in a list, which would lose its frame and what is copied', () => {
    expect(guides.filter(({ slug }) => htmlOf(slug).includes('<pre'))).toEqual([]);
  });

  it('have no empty header cells, which screen readers would announce', () => {
    expect(guides.filter(({ slug }) => htmlOf(slug).includes('<th></th>'))).toEqual([]);
    expect(htmlOf('operations')).toContain('<th>Part</th>');
  });

  it('explain each page that links to them', () => {
    const topics = [
      ...Object.values(JOURNEYS),
      ...KINDS.flatMap(({ entity }) => entity.guide ?? []),
    ];
    const missing = topics.filter(({ href }) => !addresses.has(href));
    expect(missing).toEqual([]);
  });
});

describe('the API reference', () => {
  const document = JSON.parse(readFileSync(`${repository}/packages/contract/openapi.json`, 'utf8'));
  const reference = guides.find(({ slug }) => slug === 'reference')!;
  const text = reference.blocks
    .map((block) => ('html' in block ? block.html : block.code))
    .join('\n');
  const operations = Object.entries<Record<string, { responses: object }>>(document.paths).flatMap(
    ([path, { parameters: _, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) => ({
        line: `${method.toUpperCase()} ${path}`,
        ...operation,
      })),
  );

  it('has every operation once', () => {
    const lines = reference.blocks.flatMap((block) =>
      block.kind === 'code' && block.language === 'http' ? block.code.split('\n') : [],
    );
    expect(lines.sort()).toEqual(operations.map(({ line }) => line).sort());
  });

  it('has the parameters of each operation, and every status that it answers with', () => {
    let lines = '';
    const pages: Record<string, string> = {};
    for (const block of reference.blocks) {
      if (block.kind === 'code' && block.language === 'http') lines = block.code;
      for (const line of lines.split('\n')) {
        pages[line] = `${pages[line] ?? ''}${'html' in block ? block.html : ''}`;
      }
    }
    for (const { line, responses } of operations) {
      for (const status of Object.keys(responses)) {
        expect(pages[line]).toContain(`<td>${status}</td>`);
      }
      for (const [, name] of line.matchAll(/\{(\w+)\}/g)) {
        expect(pages[line]).toContain(`<td><code>${name}</code></td><td>path, required</td>`);
      }
    }
    expect(pages['GET /rt/projects/{projectId}/decisions']).toContain('<code>pathPrefix</code>');
  });

  it('has every schema below a heading of its own', () => {
    const schemas = reference.sections.filter(({ depth }) => depth === 3);
    expect(schemas.map(({ title }) => title)).toEqual(Object.keys(document.components.schemas));
    const ids = reference.sections.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([]);
    expect(text).toContain('<a href="#resetafterseconds">ResetAfterSeconds</a>');
    expect(text).toContain('<p>One of <a href="#gatewayallow">GatewayAllow</a> or');
  });

  it('has calls to paste, with the settings of a host instead of a secret', () => {
    expect(text).toContain('curl -i "$CEIBA_RUNTIME_URL/rt/projects/$CEIBA_PROJECT_ID/authorize"');
    expect(text).toContain('-H "x-service-project-secret: $CEIBA_PROJECT_SECRET"');
    expect(text).toContain('curl -i "$CEIBA_RUNTIME_URL/health"');
    expect(text).not.toMatch(/ceiba_secret_\w/);
  });
});

describe('a search in the guides', () => {
  it('finds a section by words of its title and text, the title first', () => {
    const [first, ...others] = searchGuides(guides, 'Failover postgres');
    expect(first).toMatchObject({
      href: '/docs/consistency#failover-of-postgres',
      guide: 'Consistency',
    });
    expect(others.map(({ href }) => href)).toContain('/docs/outages');
  });

  it('shows the text around the first word', () => {
    const [found] = searchGuides(guides, 'min-replicas-max-lag');
    expect(found?.excerpt).toContain('min-replicas-max-lag');
    expect(found?.excerpt.length).toBeLessThan(200);
  });

  it('shows whole words alone', () => {
    const text = guides
      .flatMap(({ sections }) => sections)
      .map((section) => ` ${section.text} `)
      .join('');
    for (const { excerpt } of searchGuides(guides, 'quota')) {
      expect(text).toContain(` ${excerpt.replaceAll(/^… | …$/g, '')} `);
    }
  });

  it('finds nothing without a word, or with a word that no section has', () => {
    expect(searchGuides(guides, ' ')).toEqual([]);
    expect(searchGuides(guides, 'quota xylophone')).toEqual([]);
  });
});
