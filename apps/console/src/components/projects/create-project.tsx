'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { createNewProject, type NewProject } from '../../app/(console)/projects/new/actions.ts';
import { environmentFile, expressHost, fastifyHost } from '../../lib/host-snippets.ts';
import { ActionForm } from '../action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { IdChip } from '../ui/id-chip.tsx';
import { Input } from '../ui/input.tsx';
import { SecretReveal } from '../ui/secret-reveal.tsx';
import { PageHeader } from '../ui/section.tsx';

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
  const file = environmentFile(project);
  return (
    <>
      <PageHeader
        title={`${project.name} is created`}
        description="Give these values to the backend of your API. They never belong in a browser or an app."
      />
      <SecretReveal
        name="project secret"
        secret={project.projectSecret}
        fileName="ceiba.env"
        fileText={file}
        snippets={[
          { name: '.env', code: file },
          { name: 'Express', code: expressHost() },
          { name: 'Fastify', code: fastifyHost() },
        ]}
        onDone={() => router.push(`/projects/${project.projectId}`)}
      >
        <dl className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <dt className="font-medium">Project ID</dt>
          <dd className="min-w-0">
            <IdChip id={project.projectId} label="project ID" whole />
          </dd>
        </dl>
      </SecretReveal>
    </>
  );
}
