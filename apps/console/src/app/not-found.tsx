import { NotFoundMessage } from '#components/not-found-message.tsx';
import { SiteFooter, SiteHeader, SiteMain } from '#components/site-header.tsx';
import { hasSession } from '#server/session.ts';
import { SOURCE_URL } from '../env.ts';

export const metadata = { title: 'Not found' };

export default async function NotFound() {
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader isSignedIn={await hasSession()} />
      <SiteMain>
        <NotFoundMessage />
      </SiteMain>
      <SiteFooter sourceUrl={SOURCE_URL} />
    </div>
  );
}
