import { ArrowRight } from 'lucide-react';
import { ButtonLink } from '../ui/button.tsx';

/** From a number of denials to their requests. */
export function WhyLink({ href, about }: { href: string; about: string }) {
  return (
    <ButtonLink size="sm" variant="quiet" className="-mx-3 w-fit" href={href}>
      Why?<span className="sr-only"> {about}</span>
      <ArrowRight aria-hidden="true" />
    </ButtonLink>
  );
}
