import { PageMessage, ToProjects } from './page-message.tsx';

export function NotFoundMessage() {
  return (
    <PageMessage title="Page not found" actions={<ToProjects />}>
      <p>The page does not exist, or it belongs to another account.</p>
    </PageMessage>
  );
}
