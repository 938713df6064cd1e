import { BookOpen } from 'lucide-react';
import { type GuideTopic, guideOf } from '../../lib/guide-topics.ts';
import { Link } from './link.tsx';

/** A link to the part of the guides that explains a page. */
export function GuideLink({ topic }: { topic: GuideTopic }) {
  const { href, name } = guideOf(topic);
  return (
    <Link
      href={href}
      className="inline-flex items-center gap-1 rounded text-small whitespace-nowrap text-muted underline underline-offset-4 hover:text-ink"
    >
      <BookOpen aria-hidden="true" className="size-4" />
      {name}
    </Link>
  );
}
