import { clsx } from 'clsx';
import { BookOpen } from 'lucide-react';
import { type GuideTopic, guideOf } from '../../lib/guide-topics.ts';
import { Link } from './link.tsx';
import { TextLink } from './text-link.tsx';

export interface GuideLinkProps {
  topic: GuideTopic;
  className?: string;
}

/** A link to the part of the guides that explains a page. */
export function GuideLink({ topic, className }: GuideLinkProps) {
  const { href, name } = guideOf(topic);
  return (
    <TextLink
      href={href}
      className={clsx(
        'inline-flex items-center gap-1 text-small whitespace-nowrap text-muted hover:text-ink',
        className,
      )}
    >
      <BookOpen aria-hidden="true" className="size-4" />
      {name}
    </TextLink>
  );
}

/** The same beside the title of a page on a phone, where it takes no line. */
export function GuideIcon({ topic }: { topic: GuideTopic }) {
  const { href, name } = guideOf(topic);
  return (
    <Link
      href={href}
      aria-label={name}
      className="grid size-10 shrink-0 place-items-center rounded text-muted sm:hidden"
    >
      <BookOpen aria-hidden="true" className="size-4" />
    </Link>
  );
}
