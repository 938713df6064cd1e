'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ACCESS_TOKEN_DAYS } from '@ceiba/domain/constants';
import type { ProjectName } from '@ceiba/schema';
import { useState } from 'react';
import { FormDialog } from '#components/action-dialog.tsx';
import { useActionForm } from '#components/action-form.tsx';
import { ChoiceField, CodeField, TextField } from '#components/form-fields.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { Name } from '#components/ui/name.tsx';
import { formatCount } from '#lib/format.ts';
import { createToken } from '../access-token-actions.ts';
import { ACCESS_WORDS } from './access-words.ts';
import { SignInAgain } from './sign-in-again.tsx';
import { before, useShow } from './token-step.ts';

const createShown = before(createToken, 'no access token was created');

export interface CreateTokenProps {
  /** Of the user; it may be restricted to some. */
  projects: readonly Pick<ProjectName, 'projectId' | 'name'>[];
  /** Whether the user has projects beyond these. */
  hasMoreProjects: boolean;
  hasPassword: boolean;
  /** Creating one would be refused. */
  mustSignInAgain: boolean;
  /** Whether creating one takes a code too. */
  hasSecondFactor: boolean;
}

const DAYS = ACCESS_TOKEN_DAYS.map(
  (days) => [String(days), days === 365 ? 'In a year' : `In ${days} days`] as const,
);

export default function CreateTokenDialog({
  projects,
  hasMoreProjects,
  hasPassword,
  mustSignInAgain,
  hasSecondFactor,
  onClose,
}: CreateTokenProps & { onClose: () => void }) {
  const show = useShow();
  return (
    <FormDialog
      onClose={onClose}
      title="Create an access token"
      description="A program that has it does what you may, and never more."
      instead={mustSignInAgain && <SignInAgain />}
      action={createShown}
      submit="Create access token"
      onDone={show}
    >
      <TextField
        name="name"
        label="Name"
        hint="What uses it, such as “Deploy workflow”. The audit log shows it beside your name."
        maxLength={DISPLAY_NAME_LENGTH_MAX}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <ChoiceField
          name="access"
          label="Access"
          initial="read"
          options={[
            ['read', ACCESS_WORDS.read],
            ['write', ACCESS_WORDS.write],
          ]}
        />
        <ChoiceField name="days" label="Expires" initial="30" options={DAYS} />
      </div>
      <Reach projects={projects} hasMoreProjects={hasMoreProjects} />
      {hasPassword && <CurrentPassword />}
      {hasSecondFactor && <CodeField hint="From your authenticator app, or a recovery code." />}
    </FormDialog>
  );
}

const ALL = ['all', 'All that you have a role in, now and later'] as const;

/** All projects of the user, or some. */
function Reach({
  projects,
  hasMoreProjects,
}: Pick<CreateTokenProps, 'projects' | 'hasMoreProjects'>) {
  const { state, errorOf, typed } = useActionForm();
  const [reach, setReach] = useState('all');
  const wasSent = state.kind === 'refused';
  return (
    <div className="grid gap-4">
      <SelectField
        name="reach"
        label="Projects"
        error={errorOf('reach')}
        value={reach}
        onChange={(event) => setReach(event.target.value)}
        options={projects.length === 0 ? [ALL] : [ALL, ['listed', 'Only these']]}
      />
      {reach === 'listed' && (
        <fieldset className="grid max-h-48 gap-2 overflow-y-auto rounded border p-3">
          <legend className="sr-only">Only these projects</legend>
          {projects.map(({ projectId, name }) => (
            <Checkbox
              key={projectId}
              name={projectId}
              data-field="reach"
              value="yes"
              defaultChecked={wasSent && typed(projectId) === 'yes'}
              label={<Name>{name}</Name>}
            />
          ))}
        </fieldset>
      )}
      {reach === 'listed' && hasMoreProjects && (
        <p className="text-small text-muted">
          These are the first {formatCount(projects.length)} of your projects, by name. To reach
          another one, a token has to be for all.
        </p>
      )}
    </div>
  );
}
