'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { createNewProject, type NewProject } from '#app/(console)/projects/new/actions.ts';
import { ActionForm } from '#components/action-form.tsx';
import { ProjectSecret } from '#components/project-secret.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { Name } from '#components/ui/name.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { expressHost, fastifyHost } from '#lib/host-snippets.ts';

/** Two steps on one page: name it, then store its secret. */
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
        description="One for each API that you protect. It starts on the plan Free; you can change that at any time."
      />
      <ActionForm action={createNewProject} onDone={onCreated} className="grid max-w-md gap-6">
        {({ pending, errorOf, typed }) => (
          <>
            <Field
              name="name"
              label="Name"
              hint="What you call the API, such as “Reports”. Only you see it."
              error={errorOf('name')}
            >
              {(control) => (
                <Input
                  {...control}
                  defaultValue={typed('name')}
                  maxLength={100}
                  autoComplete="off"
                  autoFocus
                />
              )}
            </Field>
            <div className="flex gap-2">
              <Button type="submit" variant="primary" pending={pending}>
                Create project
              </Button>
              <Button asChild variant="quiet">
                <Link href="/projects">Cancel</Link>
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </>
  );
}

function SecretStep({ project }: { project: NewProject }) {
  const router = useRouter();
  return (
    <>
      <PageHeader
        title={
          <>
            <Name>{project.name}</Name> is created
          </>
        }
        description="Give these values to the backend of your API. They never belong in a browser or an app."
      />
      <ProjectSecret
        values={project}
        hosts={[
          { name: 'Express', code: expressHost() },
          { name: 'Fastify', code: fastifyHost() },
        ]}
        onDone={() => router.push(`/projects/${project.projectId}`)}
      />
    </>
  );
}
