'use client';

import { usePathname } from 'next/navigation';
import { TextLink } from '#components/ui/text-link.tsx';

export interface GuideListGroup {
  group: string;
  guides: readonly {
    slug: string;
    title: string;
    parts: readonly { id: string; title: string }[];
  }[];
}

/**
 * All guides, and below the current one its parts where no index beside the text has them. On a phone
 * it opens on demand.
 */
export function GuideList({ groups }: { groups: readonly GuideListGroup[] }) {
  const pathname = usePathname();
  return (
    <>
      <nav aria-label="Guides" className="mt-6 max-lg:hidden">
        <Groups groups={groups} pathname={pathname} />
      </nav>
      <details key={pathname} className="mt-4 rounded border bg-surface lg:hidden">
        <summary className="cursor-pointer rounded px-4 py-2 font-medium">Contents</summary>
        <nav aria-label="Guides" className="px-4 pb-4">
          <Groups groups={groups} pathname={pathname} />
        </nav>
      </details>
    </>
  );
}

function Groups({ groups, pathname }: { groups: readonly GuideListGroup[]; pathname: string }) {
  return groups.map(({ group, guides }) => (
    <div key={group} className="mb-6">
      <p className="mb-1 text-small text-muted">{group}</p>
      <ul>
        {guides.map(({ slug, title, parts }) => {
          const current = pathname === `/docs/${slug}`;
          return (
            <li key={slug}>
              <TextLink
                href={`/docs/${slug}`}
                aria-current={current ? 'page' : undefined}
                look="quiet"
                className="block py-1 aria-[current=page]:font-medium aria-[current=page]:text-accent-text"
              >
                {title}
              </TextLink>
              {current && (
                <ul className="mb-2 border-l pl-3 xl:hidden">
                  {parts.map(({ id, title: name }) => (
                    <li key={id}>
                      <a
                        href={`#${id}`}
                        className="block rounded py-1 text-small text-muted underline-offset-4 hover:text-ink hover:underline"
                      >
                        {name}
                      </a>
                    </li>
                  ))}
                </ul>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  ));
}
