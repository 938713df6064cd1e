import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { PageIndex } from '#components/ui/section.tsx';
import type { PageProps } from '#lib/list-query.ts';
import { guideOf, partsOf } from '#server/guides/guides.ts';
import { GuideBlocks } from '../_components/guide-blocks.tsx';

export async function generateMetadata({ params }: PageProps<'slug'>): Promise<Metadata> {
  const guide = guideOf((await params).slug);
  return guide === undefined ? {} : { title: guide.title, description: guide.summary };
}

export default async function GuidePage({ params }: PageProps<'slug'>) {
  const guide = guideOf((await params).slug);
  if (guide === undefined) notFound();
  return (
    <div className="grid gap-x-12 xl:grid-cols-[minmax(0,44rem)_11rem]">
      <article className="min-w-0">
        <h1 className="mb-6 text-display font-semibold">{guide.title}</h1>
        <GuideBlocks blocks={guide.blocks} />
      </article>
      <PageIndex parts={partsOf(guide)} className="max-xl:hidden" />
    </div>
  );
}
