'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import dynamic from 'next/dynamic';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { createNewProject, type NewProject } from '#app/(console)/projects/new/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { FormButtons, TextField } from '#components/form-fields.tsx';
import { named } from '#components/ui/name.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { shownWith } from '#lib/action-state.ts';

// Loaded with the answer, to keep the page small.
const loadSecret = () => import('#components/project-secret.tsx');
const ProjectSecret = dynamic(() => loadSecret().then((loaded) => loaded.ProjectSecret));

const createShownProject = shownWith(loadSecret, createNewProject, 'no project was created');

/** Two steps on one page: name the project, then store its secret. */
export function CreateProject() {
  const [created, setCreated] = useState<NewProject>();
  return created === undefined ? (
    <NameStep onCreated={setCreated} />
  ) : (
    <SecretStep project={created} />
  );
}

function NameStep({ onCreated }: { onCreated: (project: NewProject) => void }) {
  return (
    <>
      <PageHeader
        title="Create project"
        description="Create one project per API. It starts on the plan Free; you can change the plan at any time."
      />
      <ActionForm action={createShownProject} onDone={onCreated} className="card grid gap-6">
        <TextField
          name="name"
          label="Name"
          hint="The name of your API, such as “Reports”. Only the members of the project see it."
          maxLength={DISPLAY_NAME_LENGTH_MAX}
          autoFocus
        />
        <FormButtons label="Create project" cancelHref="/projects" />
      </ActionForm>
    </>
  );
}

function SecretStep({ project }: { project: NewProject }) {
  const router = useRouter();
  return (
    <ProjectSecret
      title={named`${project.name} is created`}
      description="Configure the backend of your API with these values. Never put them into a browser or an app."
      values={project}
      onDone={() => router.push(`/projects/${project.projectId}`)}
    />
  );
}
