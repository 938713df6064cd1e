import Link from 'next/link';
import { PageMessage } from '#components/page-message.tsx';
import { Button } from '#components/ui/button.tsx';

export const metadata = { title: 'Not permitted' };

/** The page exists, but the user's role in the project does not permit it. */
export default function ForbiddenInConsole() {
  return (
    <PageMessage
      title="Your role does not permit this"
      actions={
        <Button asChild variant="primary">
          <Link href="/projects">Go to your projects</Link>
        </Button>
      }
    >
      <p>
        You can see this project, but not use this page. Ask the owner of the project to change your
        role; the page <em>Members</em> shows who that is.
      </p>
    </PageMessage>
  );
}
