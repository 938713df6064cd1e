import { PageMessage, ToProjects } from '#components/page-message.tsx';
import { MembersLink } from './_components/members-link.tsx';

export const metadata = { title: 'Not permitted' };

/** The page exists, but the user's role in the project does not permit it. */
export default function ForbiddenInConsole() {
  return (
    <PageMessage title="Your role does not permit this" actions={<ToProjects />}>
      <p>
        You can see this project, but not use this page. Ask the owner of the project to change your
        role; the page <MembersLink /> shows who that is.
      </p>
    </PageMessage>
  );
}
