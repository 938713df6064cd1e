import type { Metadata } from 'next';
import { type Found, SEARCH_LENGTH_MIN } from '#components/shell/found.ts';
import { EmptyState } from '#components/ui/empty-state.tsx';
import { Link } from '#components/ui/link.tsx';
import { Name } from '#components/ui/name.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { Column, PageHeader } from '#components/ui/section.tsx';
import { KINDS } from '#lib/entities.ts';
import type { Entity } from '#lib/entity.ts';
import { plural } from '#lib/format.ts';
import { type PageProps, parseListQuery } from '#lib/list-query.ts';
import { withoutSecrets } from '#lib/text.ts';
import { withDatabase } from '#server/database.ts';
import { requireUser } from '#server/session.ts';
import { find } from './find.ts';

export const metadata: Metadata = { title: 'Find' };

/** The most of each kind. */
const LISTED = 20;

/** What the palette finds, without a keyboard and with an address of its own. */
export default async function FindPage({ searchParams }: PageProps) {
  const user = await requireUser();
  const text = withoutSecrets(parseListQuery(await searchParams).q);
  const isSearched = text.length >= SEARCH_LENGTH_MIN;
  const found = isSearched
    ? await withDatabase((db) => find(db, { user, text, limit: LISTED }))
    : [];
  return (
    <Column>
      <PageHeader title="Find" />
      <SearchInput label="Part of a key, a status, an ID or a path" className="sm:max-w-none" />
      <div className="mt-6">
        {isSearched ? (
          <>
            <p role="status" className="text-muted">
              {found.length === 0
                ? `Nothing in your projects or the guides matches “${text}”.`
                : `${plural(found.length, 'result')} for “${text}” in your projects and the guides.`}
            </p>
            {KINDS.map(({ kind, entity }) => (
              <Kind key={kind} entity={entity} found={found} />
            ))}
          </>
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

/** What was found of one kind. */
function Kind({ entity: { name, found: look }, found }: { entity: Entity; found: Found[] }) {
  const items = found.filter(({ kind }) => kind === look?.as);
  if (look === undefined || items.length === 0) return null;
  const { icon: Icon } = look;
  return (
    <section aria-label={name} className="mt-6">
      <h2 className="text-title">{name}</h2>
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
