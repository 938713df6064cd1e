'use client';

import type { AccessToken } from '@ceiba/schema';
import { useState } from 'react';
import { ConfirmAction } from '#components/action-dialog.tsx';
import { dialogButton } from '#components/dialog-button.tsx';
import { Button } from '#components/ui/button.tsx';
import { Chip } from '#components/ui/chip.tsx';
import { Name, named } from '#components/ui/name.tsx';
import { LastUse, RelativeTime } from '#components/ui/time.tsx';
import { legible } from '#lib/text.ts';
import { revokeToken } from '../access-token-actions.ts';
import { ACCESS_WORDS } from './access-words.ts';
import type { CreateTokenProps } from './create-token-dialog.tsx';
import { Step } from './token-step.ts';

const CreateTokenButton = dialogButton<CreateTokenProps>(
  'Create access token…',
  () => import('./create-token-dialog.tsx'),
);

export const CreateToken = (create: CreateTokenProps) => (
  <Step>
    <CreateTokenButton {...create} />
  </Step>
);

/** The access tokens of the user. The dialog that revokes one is outside the list, which it then leaves. */
export function AccessTokens({ tokens }: { tokens: readonly AccessToken[] }) {
  const [revoking, setRevoking] = useState<AccessToken>();
  return (
    <>
      {tokens.length > 0 && (
        <ul aria-label="Access tokens" className="panel divide-y">
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
      {revoking !== undefined && (
        <RevokeToken token={revoking} onClose={() => setRevoking(undefined)} />
      )}
    </>
  );
}

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
