import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import { Button } from '../ui/button.tsx';

/** From a number of denials to their requests. */
export function WhyLink({ href, about }: { href: string; about: string }) {
  return (
    <Button asChild size="sm" variant="quiet" className="-mx-3 w-fit">
      <Link href={href}>
        Why?<span className="sr-only"> {about}</span>
        <ArrowRight aria-hidden="true" />
      </Link>
    </Button>
  );
}
