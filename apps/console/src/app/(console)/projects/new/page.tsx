import type { Metadata } from 'next';
import { CreateProject } from '#components/projects/create-project.tsx';
import { Column } from '#components/ui/section.tsx';
import { requireUser } from '#server/session.ts';

export const metadata: Metadata = { title: 'Create project' };

export default async function NewProjectPage() {
  await requireUser();
  return (
    <Column className="max-w-[45rem]">
      <CreateProject />
    </Column>
  );
}
