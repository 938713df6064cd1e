import { TextLink } from '#components/ui/text-link.tsx';

export interface OtherPageProps {
  question: string;
  href: '/sign-in' | '/sign-up';
  label: string;
  /** The path to return to. */
  next: string;
}

/** Links sign-in and sign-up to each other. */
export function OtherPage({ question, href, label, next }: OtherPageProps) {
  return (
    <p className="mt-6 text-muted">
      {question}{' '}
      <TextLink
        href={`${href}?next=${encodeURIComponent(next)}`}
        className="font-medium text-accent-text"
      >
        {label}
      </TextLink>
    </p>
  );
}
