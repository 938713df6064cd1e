import { Link } from '#components/ui/link.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { plural } from '#lib/format.ts';
import { type PageProps, parseListQuery } from '#lib/list-query.ts';
import { withoutSecrets } from '#lib/text.ts';
import { findInGuides, GUIDE_GROUPS } from '#server/guides/guides.ts';

const RESULTS = 30;

export default async function DocsPage({ searchParams }: PageProps) {
  const q = withoutSecrets(parseListQuery(await searchParams).q);
  return q === '' ? <AllGuides /> : <Results q={q} />;
}

function AllGuides() {
  return (
    <>
      <h1 className="text-display font-semibold">Guides</h1>
      <p className="mt-4 max-w-[44rem] text-muted">
        Everything about this version of Ceiba: they are part of the build that serves this page.
      </p>
      {GUIDE_GROUPS.map(({ group, guides }) => (
        <section key={group} aria-labelledby={group} className="mt-10">
          <h2 id={group} className="text-title">
            {group}
          </h2>
          <ul className="mt-2 grid gap-x-8 sm:grid-cols-2">
            {guides.map(({ slug, title, summary }) => (
              <li key={slug} className="relative border-t py-3 transition-colors hover:bg-hover">
                <Link
                  href={`/docs/${slug}`}
                  className="rounded font-semibold after:absolute after:inset-0"
                >
                  {title}
                </Link>
                <p className="mt-1 text-small text-muted">{summary}</p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Results({ q }: { q: string }) {
  const found = findInGuides(q, RESULTS);
  return (
    <>
      <h1 className="text-display font-semibold">Guides</h1>
      <p role="status" className="mt-4 text-muted">
        {summaryOf(found.length, q)}
      </p>
      {found.length === 0 ? (
        <p className="mt-2">
          <TextLink href="/docs">See all guides</TextLink>
        </p>
      ) : (
        <ul className="mt-6 max-w-[44rem] divide-y border-y">
          {found.map(({ href, guide, title, excerpt }) => (
            <li key={href} className="py-4">
              <TextLink href={href} look="quiet" className="font-semibold">
                {title}
              </TextLink>
              <p className="text-small text-muted">{guide}</p>
              <p className="mt-1 text-small break-words">{excerpt}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function summaryOf(found: number, q: string): string {
  if (found === 0) return `No section has all words of “${q}”. Try fewer words.`;
  return found === RESULTS
    ? `The first ${RESULTS} sections with “${q}”.`
    : `${plural(found, 'section')} with “${q}”.`;
}
