import { NotFoundMessage } from '#components/not-found-message.tsx';

export const metadata = { title: 'Not found' };

/** Something that the project does not have, such as a deleted key. */
export default function NotFoundInProject() {
  return <NotFoundMessage />;
}
