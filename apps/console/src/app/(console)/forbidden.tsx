import Link from 'next/link';
import { Button } from '#components/ui/button.tsx';

export const metadata = { title: 'Not permitted' };

/** The page exists, but the user's role in the project does not permit it. */
export default function ForbiddenInConsole() {
  return (
    <div className="max-w-[45rem] py-8">
      <h1 className="text-title">Your role does not permit this</h1>
      <p className="mt-2 text-muted">
        You can see this project, but not use this page. Ask the owner of the project to change your
        role; the page <em>Members</em> shows who that is.
      </p>
      <Button asChild variant="primary" className="mt-6">
        <Link href="/projects">Go to your projects</Link>
      </Button>
    </div>
  );
}
