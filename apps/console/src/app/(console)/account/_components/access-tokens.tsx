'use client';

import { DISPLAY_NAME_LENGTH_MAX } from '@ceiba/contract/sets';
import { ACCESS_TOKEN_DAYS, type TokenAccess } from '@ceiba/domain/constants';
import type { AccessToken, ProjectName } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { useActionForm } from '#components/action-form.tsx';
import { ChoiceField, CodeField, TextField } from '#components/form-fields.tsx';
import { CurrentPassword } from '#components/password-fields.tsx';
import { shownOnce } from '#components/shown-once.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { SelectField } from '#components/ui/field.tsx';
import { Checkbox } from '#components/ui/input.tsx';
import { Name, named } from '#components/ui/name.tsx';
import { LastUse, RelativeTime } from '#components/ui/time.tsx';
import { formatCount } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { createToken, type NewAccessToken, revokeToken } from '../access-token-actions.ts';
import { SignInAgain } from './sign-in-again.tsx';

const { Step, useShow, before } = shownOnce<NewAccessToken>(() => import('./created-token.tsx'));
const createShown = before(createToken, 'no access token was created');

export interface AccessTokensProps extends CreateTokenProps {
  tokens: readonly AccessToken[];
}

/**
 * The access tokens of the user, and the dialogs that create and revoke one. The latter is outside the
 * list, which the token then leaves.
 */
export function AccessTokens({ tokens, ...create }: AccessTokensProps) {
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <Step>
      {tokens.length > 0 && (
        <ul aria-label="Access tokens" className="panel mb-4 divide-y">
          {tokens.map((token) => (
            <li
              key={token.tokenId}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-(--inset) py-3"
            >
              <TokenFacts token={token} />
              <Button size="sm" onClick={() => setRevoking(token)}>
                {token.isExpired ? 'Remove…' : 'Revoke…'}
                <span className="sr-only"> {legible(token.name)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <CreateToken {...create} />
      {revoking !== undefined && (
        <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </Step>
  );
}

const ACCESS_WORDS = { read: 'Read only', write: 'Read and write' } as const satisfies Record<
  TokenAccess,
  string
>;

function TokenFacts({ token }: { token: AccessToken }) {
  const { name, tokenPrefix, access, projects, createdAt, lastUsedAt, expiresAt } = token;
  return (
    <div className="min-w-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 font-medium">
        <Name>{name}</Name>
        <code className="text-small font-normal text-muted">{tokenPrefix}…</code>
        {token.isExpired && <Chip tone="limit">Expired</Chip>}
      </p>
      <p className="text-small text-muted wrap-anywhere">
        {ACCESS_WORDS[access]},{' '}
        {projects === null ? (
          'all projects'
        ) : projects.length === 0 ? (
          'projects that are gone'
        ) : (
          <Name>{projects.join(', ')}</Name>
        )}
      </p>
      <p className="numbers text-small text-muted">
        created <RelativeTime at={createdAt} inRow />, <LastUse at={lastUsedAt} inRow />,{' '}
        {token.isExpired ? 'expired' : 'expires'} <RelativeTime at={expiresAt} inRow />
      </p>
    </div>
  );
}

interface CreateTokenProps {
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

function CreateToken({
  projects,
  hasMoreProjects,
  hasPassword,
  mustSignInAgain,
  hasSecondFactor,
}: CreateTokenProps) {
  const show = useShow();
  return (
    <FormDialog
      trigger={<Button>Create access token…</Button>}
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

const RevokeToken = ({ token, onClose }: { token: AccessToken; onClose: () => void }) => (
  <ConfirmAction
    onClose={onClose}
    title={named`${token.isExpired ? 'Remove' : 'Revoke'} ${token.name}?`}
    description={
      token.isExpired ? (
        'It has expired. What was done with it stays in the audit log.'
      ) : (
        <>
          Programs that use it are refused from the next request on. It was{' '}
          <LastUse at={token.lastUsedAt} />.
        </>
      )
    }
    action={revokeToken}
    hidden={{ tokenId: token.tokenId }}
    done={{ title: token.isExpired ? 'Access token removed' : 'Access token revoked' }}
    cancel="Keep access token"
    confirm={token.isExpired ? 'Remove access token' : 'Revoke access token'}
  />
);
