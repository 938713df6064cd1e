import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

import { referenceMarkdown } from './reference-markdown.mjs';

/**
 * @typedef {{ slug: string, file: string, summary: string }} GuideEntry
 * @typedef {{ group: string, guides: GuideEntry[] }[]} Catalog
 */

/** The folder of the guides to one framework each, of which the console offers the snippets. */
const FRAMEWORKS = 'docs/learn/frameworks/';

/**
 * Renders the guides of a catalog from Markdown, and the API reference from the OpenAPI document.
 *
 * Links between guides lead to their pages. A file of the repository that is no guide has no page, so
 * its link becomes text that names the file.
 *
 * @param {Catalog} catalog
 * @param {string} repository The folder to which the catalog's files are relative.
 * @returns {import('./src/server/guides/guide.ts').GuideGroup[]}
 * @throws {Error} for HTML that is not a comment, because it would be missing from the page
 */
export function renderGuides(catalog, repository) {
  const entries = catalog.flatMap(({ guides }) => guides);
  const slugs = new Map(entries.map(({ file, slug }) => [file, slug]));
  return catalog.map(({ group, guides }) => ({
    group,
    guides: guides.map(({ slug, file, summary }) => {
      const text = readFileSync(posix.join(repository, file), 'utf8');
      const markdown = file.endsWith('.json') ? referenceMarkdown(JSON.parse(text)) : text;
      const isFramework = file.startsWith(FRAMEWORKS);
      return {
        slug,
        summary,
        isFramework,
        ...renderGuide(markdown, (href) => addressOf(href, file, slugs)),
      };
    }),
  }));
}

/** The page that a link of a file leads to; null for a file without a page. */
function addressOf(href, file, slugs) {
  if (/^(https?:|#)/.test(href)) return { href };
  const [path = '', hash] = href.split('#');
  const target = posix.join(posix.dirname(file), path);
  const slug = slugs.get(target);
  if (slug === undefined) return { file: target };
  return { href: `/docs/${slug}${hash === undefined ? '' : `#${hash}`}` };
}

function renderGuide(markdown, resolve) {
  const marked = new Marked({ renderer: rendererWith(resolve) });
  const slugger = new GithubSlugger();
  const tokens = marked.lexer(markdown);
  const [title] = tokens;
  if (title?.type !== 'heading') throw new Error('a guide begins with its title');
  const blocks = [];
  const sections = [{ id: '', title: plainText(title), depth: 1, text: '' }];
  for (const token of tokens.slice(1)) {
    const section = sections.at(-1);
    if (token.type === 'heading') {
      const name = plainText(token);
      const id = slugger.slug(name);
      sections.push({ id, title: name, depth: token.depth, text: '' });
      blocks.push({
        kind: 'heading',
        id,
        depth: token.depth,
        html: marked.parseInline(token.text),
      });
    } else if (token.type === 'code') {
      section.text += ` ${token.text}`;
      blocks.push({ kind: 'code', language: token.lang ?? '', code: token.text });
    } else {
      section.text += ` ${plainText(token)}`;
      appendHtml(blocks, token.type === 'table' ? 'table' : 'text', marked.parser([token]));
    }
  }
  return {
    title: plainText(title),
    sections: sections.map((section) => ({
      ...section,
      text: section.text.replaceAll(/\s+/g, ' ').trim(),
    })),
    blocks,
  };
}

/** Paragraphs and lists that follow each other are one block; each table is its own, to scroll. */
function appendHtml(blocks, kind, html) {
  if (html.trim() === '') return;
  const last = blocks.at(-1);
  if (kind === 'text' && last?.kind === 'text') last.html += html;
  else blocks.push({ kind, html });
}

const rendererWith = (resolve) => ({
  link({ href, tokens }) {
    const text = this.parser.parseInline(tokens);
    const { href: address, file } = resolve(href);
    if (address === undefined) return `${text} (<code>${escaped(file)}</code>)`;
    return `<a href="${escaped(address)}">${text}</a>`;
  },
  // A column without a name has no header cell, as in a table of options.
  tablecell({ header, tokens }) {
    const text = this.parser.parseInline(tokens);
    const cell = header && text !== '' ? 'th' : 'td';
    return `<${cell}>${text}</${cell}>`;
  },
  html({ text }) {
    if (/^(\s*<!--.*?-->\s*)+$/s.test(text)) return '';
    throw new Error(`a guide has no HTML: ${text.slice(0, 60)}`);
  },
});

/** What a reader sees of a token, without its markup. */
function plainText(token) {
  if (token.type === 'html') return '';
  if (token.type === 'table') {
    return [...token.header, ...token.rows.flat()].map(plainText).join(' ');
  }
  if (token.items) return token.items.map(plainText).join(' ');
  if (token.tokens) return token.tokens.map(plainText).join('');
  return token.text ?? token.raw ?? '';
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
