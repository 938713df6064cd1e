import { NotFoundMessage } from '#components/not-found-message.tsx';
import { SiteHeader, SiteMain } from '#components/site-header.tsx';

export const metadata = { title: 'Not found' };

export default function NotFound() {
  return (
    <>
      <SiteHeader />
      <SiteMain>
        <NotFoundMessage />
      </SiteMain>
    </>
  );
}
