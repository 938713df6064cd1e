import './guide.css';
import type { Metadata } from 'next';
import type { ReactNode } from 'react';
import { SiteFooter, SiteHeader } from '#components/site-header.tsx';
import { GUIDE_GROUPS, partsOf } from '#server/guides/guides.ts';
import { hasSession } from '#server/session.ts';
import { SOURCE_URL } from '../../env.ts';
import { GuideList, type GuideListGroup } from './_components/guide-list.tsx';
import { GuideSearch } from './_components/guide-search.tsx';

export const metadata: Metadata = { title: { default: 'Guides', template: '%s · Guides · Ceiba' } };

/** Only what the list shows, because it is sent to the browser. */
const LIST: readonly GuideListGroup[] = GUIDE_GROUPS.map(({ group, guides }) => ({
  group,
  guides: guides.map((guide) => ({
    slug: guide.slug,
    title: guide.title,
    parts: partsOf(guide),
  })),
}));

/** The guides, signed in or not: they are in the build, and need no database. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  return (
    <div className="flex min-h-dvh flex-col xl:[--site:80rem]">
      <SiteHeader isSignedIn={await hasSession()} />
      <div className="mx-auto grid w-full max-w-(--site) gap-x-12 px-4 pb-16 sm:px-8 lg:grid-cols-[15rem_minmax(0,1fr)]">
        <aside
          aria-label="All guides"
          className="mb-8 lg:sticky lg:top-0 lg:mb-0 lg:max-h-dvh lg:self-start lg:overflow-y-auto lg:py-8"
        >
          <GuideSearch />
          <GuideList groups={LIST} />
        </aside>
        <main id="content" className="reading min-w-0 lg:py-8">
          {children}
        </main>
      </div>
      <SiteFooter sourceUrl={SOURCE_URL} />
    </div>
  );
}
