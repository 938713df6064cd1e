import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { guideOf } from '#server/guides/guides.ts';
import { GuideBlocks } from '../_components/guide-blocks.tsx';

interface GuideProps {
  params: Promise<{ slug: string }>;
}

export async function generateMetadata({ params }: GuideProps): Promise<Metadata> {
  const guide = guideOf((await params).slug);
  return guide === undefined ? {} : { title: guide.title, description: guide.summary };
}

export default async function GuidePage({ params }: GuideProps) {
  const guide = guideOf((await params).slug);
  if (guide === undefined) notFound();
  return (
    <article>
      <h1 className="mb-6 text-display font-semibold tracking-[-0.025em]">{guide.title}</h1>
      <GuideBlocks blocks={guide.blocks} />
    </article>
  );
}
