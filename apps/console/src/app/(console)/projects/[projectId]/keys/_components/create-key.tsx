'use client';

import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import { Button } from '#components/ui/button.tsx';
import { Field } from '#components/ui/field.tsx';
import { Input } from '#components/ui/input.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { shownWith } from '#lib/action-state.ts';
import { createKey, type NewKey } from '../actions.ts';
import { CapReached } from './cap-reached.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { LimitFields } from './limit-fields.tsx';

export interface CreateKeyProps {
  projectId: string;
  planName: string;
  activeKeys: number;
  activeKeyCap: number;
  defaultRate: number | null;
  /** What a call asks for in the example; one that a policy admits where there is one. */
  example: { method: string; path: string };
}

// Fetched while the first field is filled in; a user who only looks at the
// page does without it.
const loadCreatedKey = () => import('./created-key.tsx');
const CreatedKey = dynamic(loadCreatedKey);

const createShownKey = shownWith(
  loadCreatedKey,
  createKey,
  'A part of this page could not be loaded, so no key was created. Reload the page and try again.',
);

/** Two steps on one page: name it, then store it. */
export function CreateKey(props: CreateKeyProps) {
  const [created, setCreated] = useState<NewKey>();
  return created === undefined ? (
    <NameStep {...props} onCreated={setCreated} />
  ) : (
    <CreatedKey projectId={props.projectId} example={props.example} apiKey={created} />
  );
}

function NameStep({
  projectId,
  planName,
  activeKeys,
  activeKeyCap,
  defaultRate,
  onCreated,
}: CreateKeyProps & { onCreated: (apiKey: NewKey) => void }) {
  const list = `/projects/${projectId}/keys`;
  const isFull = activeKeys >= activeKeyCap;
  return (
    <>
      <PageHeader
        title="Create key"
        description="One for each caller, so that one can be revoked without the others. Calls with it are allowed where a policy matches."
      />
      {isFull && (
        <CapReached projectId={projectId} planName={planName} activeKeyCap={activeKeyCap} />
      )}
      <ActionForm
        action={createShownKey}
        hidden={{ projectId }}
        onDone={onCreated}
        onInput={() => loadCreatedKey().catch(() => {})}
        className="grid gap-6"
      >
        {(parts) => (
          <>
            <Field
              name="displayName"
              label="Name"
              hint="Who or what calls with it, such as “Mobile app”. Hosts see it on every allowed call."
              error={parts.errorOf('displayName')}
            >
              {(control) => (
                <Input
                  {...control}
                  defaultValue={parts.typed('displayName')}
                  autoComplete="off"
                  autoFocus
                />
              )}
            </Field>
            <ExpiryField parts={parts} />
            <LimitFields parts={parts} defaultRate={defaultRate} />
            <div className="flex gap-2">
              <Button type="submit" variant="primary" pending={parts.pending}>
                Create key
              </Button>
              <Button asChild variant="quiet">
                <Link href={list}>Cancel</Link>
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </>
  );
}
