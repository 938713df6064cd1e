'use client';

import dynamic from 'next/dynamic';
import { useState } from 'react';
import { ActionForm } from '#components/action-form.tsx';
import type { Choice } from '#components/combobox.tsx';
import { CustomerField } from '#components/customer-field.tsx';
import { FormButtons, TextField } from '#components/form-fields.tsx';
import { LimitFields } from '#components/limit-fields.tsx';
import { ScopeFields } from '#components/scope-fields.tsx';
import { PageHeader } from '#components/ui/section.tsx';
import { shownWith } from '#lib/action-state.ts';
import type { LabelSet } from '#lib/labels.ts';
import { findCustomers } from '../../customers/actions.ts';
import { createKey, type NewKey } from '../actions.ts';
import { CapReached } from './cap-reached.tsx';
import { ExpiryField } from './expiry-field.tsx';
import { keyLimitHint } from './key-limits.ts';

export interface CreateKeyProps {
  projectId: string;
  planName: string;
  activeKeys: number;
  activeKeyCap: number;
  mayChangePlan: boolean;
  defaultRate: number | null;
  /** The labels of the project's policies. */
  sets: readonly LabelSet[];
  /** Whose key it will be, if the URL says it. */
  customer: Choice | null;
}

// Loaded when the user starts to type, to keep the page small.
const loadCreatedKey = () => import('./created-key.tsx');
const CreatedKey = dynamic(loadCreatedKey);

const createShownKey = shownWith(loadCreatedKey, createKey, 'no key was created');

/** Two steps on one page: name the key, then store it. */
export function CreateKey(props: CreateKeyProps) {
  const [created, setCreated] = useState<NewKey>();
  return created === undefined ? (
    <NameStep {...props} onCreated={setCreated} />
  ) : (
    <CreatedKey projectId={props.projectId} apiKey={created} />
  );
}

function NameStep({
  projectId,
  defaultRate,
  sets,
  customer,
  onCreated,
  ...plan
}: CreateKeyProps & { onCreated: (apiKey: NewKey) => void }) {
  const [hasCustomer, setHasCustomer] = useState(customer !== null);
  return (
    <>
      <PageHeader
        title="Create key"
        list={{ href: `/projects/${projectId}/keys`, label: 'All keys' }}
        description="Create one key per caller, so that you can revoke each on its own. A key allows the calls that a policy matches."
      />
      {plan.activeKeys >= plan.activeKeyCap && <CapReached projectId={projectId} {...plan} />}
      <ActionForm
        action={createShownKey}
        onDone={onCreated}
        onInput={() => loadCreatedKey().catch(() => {})}
        className="card grid gap-6"
      >
        <TextField
          name="displayName"
          label="Name"
          hint="The caller, such as “Mobile app”. Your API sees it with every allowed call."
          autoFocus
        />
        <CustomerField
          projectId={projectId}
          initial={customer}
          onChange={(chosen) => setHasCustomer(chosen !== null)}
          search={findCustomers}
          hint="Type a part of its external ID or name. A new external ID creates the customer."
        />
        <details>
          <summary className="w-fit cursor-pointer rounded font-medium">
            Limits, scopes and expiry
          </summary>
          <div className="mt-6 grid gap-6">
            <LimitFields hintOf={keyLimitHint(defaultRate)} />
            <ScopeFields sets={sets} planScopes={hasCustomer ? 'unknown' : null} />
            <ExpiryField />
          </div>
        </details>
        <FormButtons label="Create key" cancelHref={`/projects/${projectId}/keys`} />
      </ActionForm>
    </>
  );
}
