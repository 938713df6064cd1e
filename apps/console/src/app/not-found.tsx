import Link from 'next/link';
import { SiteHeader } from '#components/site-header.tsx';
import { Button } from '#components/ui/button.tsx';

export const metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <main id="content" className="mx-auto max-w-[45rem] px-4 py-16 sm:px-8">
        <h1 className="text-display font-semibold tracking-[-0.025em]">Page not found</h1>
        <p className="mt-4 text-title text-muted">
          The page does not exist, or it belongs to another account.
        </p>
        <Button asChild variant="primary" className="mt-8">
          <Link href="/projects">Go to your projects</Link>
        </Button>
      </main>
    </>
  );
}
