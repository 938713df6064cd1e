'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { createKey, type NewKey } from '../../app/(console)/projects/[projectId]/keys/actions.ts';
import { plural } from '../../lib/format.ts';
import { ActionForm } from '../action-form.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Input } from '../ui/input.tsx';
import { Notice } from '../ui/notice.tsx';
import { SecretReveal } from '../ui/secret-reveal.tsx';
import { PageHeader } from '../ui/section.tsx';
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

/** Two steps on one page: name it, then store it. */
export function CreateKey(props: CreateKeyProps) {
  const [created, setCreated] = useState<NewKey>();
  return created === undefined ? (
    <NameStep {...props} onCreated={setCreated} />
  ) : (
    <KeyStep {...props} apiKey={created} />
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
        description="One for each caller, so that one can be revoked without the others. Calls with it are admitted where a policy matches."
      />
      {isFull && (
        <CapReached projectId={projectId} planName={planName} activeKeyCap={activeKeyCap} />
      )}
      <ActionForm
        action={createKey}
        hidden={{ projectId }}
        onDone={onCreated}
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

interface CapReachedProps {
  projectId: string;
  planName: string;
  activeKeyCap: number;
}

/** What to do when no further key can be active. */
export function CapReached({ projectId, planName, activeKeyCap }: CapReachedProps) {
  return (
    <Notice
      tone="warning"
      className="mb-6"
      title={`All ${plural(activeKeyCap, 'active key')} of the plan ${planName} are in use`}
      action={
        <div className="flex flex-wrap gap-2">
          <Button asChild size="sm">
            <Link href={`/projects/${projectId}/keys?hint=idle`}>Show idle keys</Link>
          </Button>
          <Button asChild size="sm">
            <Link href={`/projects/${projectId}/subscription`}>Change plan</Link>
          </Button>
        </div>
      }
    >
      Revoke or archive a key that is not needed, or change the plan. Expired keys count until they
      are revoked or archived.
    </Notice>
  );
}

function KeyStep({ projectId, apiKey, example }: CreateKeyProps & { apiKey: NewKey }) {
  const router = useRouter();
  const { plaintext, displayName, keyPrefix } = apiKey;
  return (
    <>
      <PageHeader
        title={`${displayName} is created`}
        description="Hand it to the one caller that it is for. It works from this moment on."
      />
      <SecretReveal
        name="key"
        secret={plaintext}
        fileName={`${keyPrefix}.txt`}
        fileText={`${plaintext}\n`}
        snippets={[
          { name: '.env', code: `API_KEY=${plaintext}\n` },
          {
            name: 'curl',
            code: `curl ${example.method === 'GET' ? '' : `-X ${example.method} `}-H 'x-api-key: ${plaintext}' \\\n  http://localhost:4100${example.path}\n`,
          },
        ]}
        onDone={() => router.push(`/projects/${projectId}/keys`)}
      />
    </>
  );
}
