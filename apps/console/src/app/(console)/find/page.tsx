import type { Metadata } from 'next';
import { NotRead } from '#components/not-read.tsx';
import { SEARCH_LENGTH_MIN } from '#components/shell/found.ts';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Link } from '#components/ui/link.tsx';
import { Name } from '#components/ui/name.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { KINDS } from '#lib/entities.ts';
import { plural, sum } from '#lib/format.ts';
import { type PageProps, parseListQuery } from '#lib/list-query.ts';
import { withoutSecrets } from '#lib/text.ts';
import { unlessTooSlow, withSlowDatabase } from '#server/database.ts';
import { requireUser } from '#server/session.ts';
import { find } from './find.ts';
import { LISTED, type Listed, listedOf } from './listed.ts';

export const metadata: Metadata = { title: 'Find' };

/** What the palette finds, without a keyboard and with an address of its own. */
export default async function FindPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const text = withoutSecrets(parseListQuery(await searchParams).q);
  const isSearched = text.length >= SEARCH_LENGTH_MIN;
  const found = isSearched
    ? await withSlowDatabase((db) => find(db, { user, text, limit: LISTED + 1 })).catch(
        unlessTooSlow,
      )
    : [];
  return (
    <Column>
      <PageHeader title="Find" />
      <SearchInput label="Part of a key, a status, an ID or a path" className="sm:max-w-none" />
      <div className="mt-6">
        {typeof found === 'string' ? (
          <NotRead why={found}>Enter more of what you look for.</NotRead>
        ) : isSearched ? (
          <Results
            text={text}
            kinds={KINDS.map(({ entity }) => listedOf(entity, found, text)).filter(
              ({ items }) => items.length > 0,
            )}
          />
        ) : (
          <EmptyState title="What did the customer say?">
            Enter it as it is: the first characters of a key such as <code>ceiba_4fZk</code>, the
            status of an answer such as <code>403</code>, a request ID or decision ID, your own ID
            of a customer, a path such as <code>/v1/reports</code>, or a name. All your projects are
            searched.
          </EmptyState>
        )}
      </div>
    </Column>
  );
}

function Results({ text, kinds }: { text: string; kinds: readonly Listed[] }) {
  const count = sum(kinds.map(({ items }) => items.length));
  const results = kinds.some(({ isCut }) => isCut)
    ? `The first ${count} results`
    : plural(count, 'result');
  return (
    <>
      <p role="status" className="text-muted">
        {count === 0
          ? `Nothing in your projects or the guides matches “${text}”.`
          : `${results} for “${text}” in your projects and the guides.`}
      </p>
      {kinds.map((listed) => (
        <Kind key={listed.entity.name} {...listed} />
      ))}
    </>
  );
}

/** What was found of one kind. */
function Kind({ entity: { name, found: look }, items, isCut, allHref }: Listed) {
  if (look === undefined) return null;
  const { icon: Icon } = look;
  return (
    <section aria-label={name} className="mt-6">
      <h2 className="text-title">{name}</h2>
      {isCut && (
        <p className="mt-1 text-small text-muted">
          The first {items.length} {name.toLowerCase()}.{' '}
          {allHref && <TextLink href={allHref}>Open the filtered list</TextLink>}
        </p>
      )}
      <ul className="mt-2 divide-y border-y">
        {items.map((item) => (
          <li
            key={item.href}
            className="relative flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 py-2 hover:bg-hover"
          >
            <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
            <Link
              href={item.href}
              className="min-w-0 rounded font-medium break-words after:absolute after:inset-0 max-sm:flex-1"
            >
              <Name>{item.name}</Name>
            </Link>
            <span className="min-w-0 text-small break-words text-muted max-sm:basis-full max-sm:pl-7 sm:ml-auto">
              {item.detail}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
