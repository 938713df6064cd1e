import type { Metadata } from 'next';
import { Column } from '#components/ui/section.tsx';
import { requireUser } from '#server/session.ts';
import { CreateProject } from '../_components/create-project.tsx';

export const metadata: Metadata = { title: 'Create project' };

export default async function NewProjectPage() {
  await requireUser();
  return (
    <Column isNarrow>
      <CreateProject />
    </Column>
  );
}
