import { BookOpen } from 'lucide-react';
import { type GuideTopic, guideOf } from '../../lib/guide-topics.ts';
import { TextLink } from './text-link.tsx';

/** A link to the part of the guides that explains a page. */
export function GuideLink({ topic }: { topic: GuideTopic }) {
  const { href, name } = guideOf(topic);
  return (
    <TextLink
      href={href}
      className="inline-flex items-center gap-1 text-small whitespace-nowrap text-muted hover:text-ink"
    >
      <BookOpen aria-hidden="true" className="size-4" />
      {name}
    </TextLink>
  );
}
