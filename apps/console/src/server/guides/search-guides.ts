import type { Guide } from './guide.ts';

export interface FoundSection {
  /** `/docs/sdk#keys`. */
  href: string;
  /** The title of its guide. */
  guide: string;
  /** The title of the section; that of the guide for its beginning. */
  title: string;
  excerpt: string;
}

/** How much of a section's text is shown, in characters. */
const EXCERPT = 160;

/**
 * The sections that contain every word of a text: first those with all words in their title, then
 * those with some, else in the order of the guides.
 */
export function searchGuides(guides: readonly Guide[], text: string): FoundSection[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return guides
    .flatMap((guide) =>
      guide.sections.map((section) => ({ guide, section, hits: hitsIn(section.title, words) })),
    )
    .filter(
      ({ guide, section }) =>
        hitsIn(`${guide.title} ${section.title} ${section.text}`, words) === words.length,
    )
    .sort((one, other) => other.hits - one.hits)
    .map(({ guide, section }) => ({
      href: `/docs/${guide.slug}${section.id === '' ? '' : `#${section.id}`}`,
      guide: guide.title,
      title: section.title,
      excerpt: excerptOf(section.text, words),
    }));
}

function hitsIn(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  return words.filter((word) => lower.includes(word)).length;
}

/** The text around the first word that it contains. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
  const at = found.length === 0 ? 0 : Math.min(...found);
  const from = at < EXCERPT / 2 ? 0 : text.indexOf(' ', at - EXCERPT / 2) + 1;
  const isCut = from + EXCERPT < text.length;
  const to = isCut ? text.lastIndexOf(' ', from + EXCERPT) : text.length;
  // A word that is longer than the excerpt is cut.
  const shown = text.slice(from, to > from ? to : from + EXCERPT);
  return `${from > 0 ? '… ' : ''}${shown}${isCut ? ' …' : ''}`;
}
