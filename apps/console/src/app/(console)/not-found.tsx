import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';

export const metadata = { title: 'Not found' };

/** Another owner's project and an unknown one look the same. */
export default function NotFoundInConsole() {
  return (
    <div className="max-w-[45rem] py-8">
      <h1 className="text-title">Nothing is here</h1>
      <p className="mt-2 text-muted">
        It does not exist, or it belongs to another account than the one you are signed in with.
      </p>
      <Button asChild variant="primary" className="mt-6">
        <Link href="/projects">Go to your projects</Link>
      </Button>
    </div>
  );
}
