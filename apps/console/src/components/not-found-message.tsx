import Link from 'next/link';
import { PageMessage } from './page-message.tsx';
import { Button } from './ui/button.tsx';

export function NotFoundMessage() {
  return (
    <PageMessage
      title="Page not found"
      actions={
        <Button asChild variant="primary">
          <Link href="/projects">Go to your projects</Link>
        </Button>
      }
    >
      <p>The page does not exist, or it belongs to another account.</p>
    </PageMessage>
  );
}
