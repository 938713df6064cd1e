import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';

export const metadata = { title: 'Not found' };

/** The same for another owner's project and for an unknown one. */
export default function NotFoundInConsole() {
  return (
    <div className="max-w-[45rem] py-8">
      <h1 className="text-heading">Page not found</h1>
      <p className="mt-2 text-muted">The page does not exist, or it belongs to another account.</p>
      <Button asChild variant="primary" className="mt-6">
        <Link href="/projects">Go to your projects</Link>
      </Button>
    </div>
  );
}
