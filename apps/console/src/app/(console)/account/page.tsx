import { RECOVERY_CODES_FEW, SESSION_DAYS } from '@ceiba/domain/constants';
import {
  countRecoveryCodes,
  findAuthenticator,
  listAccessTokens,
  listPasskeys,
  listSessions,
} from '@ceiba/schema';
import type { Metadata } from 'next';
import { Chip } from '#components/ui/chip.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { Column, IndexedSections, PageHeader } from '#components/ui/section.tsx';
import { TextLink } from '#components/ui/text-link.tsx';
import { deviceWords } from '#lib/device.ts';
import { plural } from '#lib/format.ts';
import { withDatabase } from '#server/database.ts';
import { configuredMailer } from '#server/mail.ts';
import { readProjectNames } from '#server/project.ts';
import { requireSession } from '#server/session.ts';
import { AccessTokens, CreateToken } from './_components/access-tokens.tsx';
import { ChangeEmail } from './_components/change-email.tsx';
import { ChangePassword } from './_components/change-password.tsx';
import { ChooseTimeZone } from './_components/choose-time-zone.tsx';
import { DeleteAccount } from './_components/delete-account.tsx';
import { AddPasskey, Passkeys } from './_components/passkeys.tsx';
import { SecondFactor } from './_components/second-factor.tsx';
import { SessionList } from './_components/session-list.tsx';
import { SignOut, SignOutEverywhere } from './_components/sign-out.tsx';

export const metadata: Metadata = { title: 'Account' };

/** An access token can be limited to some of these. */
const PROJECTS_LISTED_MAX = 300;

export default async function AccountPage() {
  const user = await requireSession();
  const { userId, mustAddSecondFactor } = user;
  const [passkeys, authenticator, recoveryCodes, sessions, tokens] = await withDatabase((db) =>
    Promise.all([
      listPasskeys(db, userId),
      findAuthenticator(db, userId),
      countRecoveryCodes(db, userId),
      mustAddSecondFactor ? [] : listSessions(db, userId),
      mustAddSecondFactor ? [] : listAccessTokens(db, userId),
    ]),
  );
  const { projects, hasMore: hasMoreProjects } = await readProjectNames(PROJECTS_LISTED_MAX);
  const hasSecondFactor = authenticator?.isConfirmed === true;
  const mustSignInAgain = !user.hasPassword && !user.isFresh;
  const sendsMail = configuredMailer() !== undefined;
  return (
    <Column>
      <PageHeader
        title="Account"
        description={
          <span className="flex flex-wrap items-center gap-2">
            {user.email}
            {user.isAdministrator && <Chip>Administrator</Chip>}
          </span>
        }
        actions={<SignOut />}
      />
      {mustAddSecondFactor && (
        <Notice tone="warning" title="Set up a second factor to continue" className="mb-8">
          This installation requires one. Add an authenticator app or a passkey below; until then
          the console shows you nothing else.
        </Notice>
      )}
      <IndexedSections
        parts={[
          user.hasPassword &&
            !mustAddSecondFactor && {
              id: 'email',
              title: 'E-mail address',
              description: (
                <>
                  <p className="text-ink wrap-anywhere">{user.email}</p>
                  {sendsMail
                    ? 'You sign in with it, and Ceiba mails you there when how you sign in is changed.'
                    : 'You sign in with it. Ceiba sends no mail to it.'}
                </>
              ),
              actions: <ChangeEmail email={user.email} byMail={sendsMail} />,
            },
          user.hasPassword &&
            !mustAddSecondFactor && {
              id: 'password',
              title: 'Password',
              description: 'Changing it signs you out in every browser, including this one.',
              actions: <ChangePassword email={user.email} />,
            },
          user.hasPassword && {
            id: 'second-factor',
            title: 'Second factor',
            description:
              'After your password, Ceiba asks for a code of an authenticator app on your phone: a stolen password alone does not sign in.',
            actions: <SecondFactor isOn={hasSecondFactor} />,
            children: hasSecondFactor && (
              <>
                <p>
                  <span className="font-medium">On.</span> {plural(recoveryCodes, 'recovery code')}{' '}
                  left.
                </p>
                {recoveryCodes < RECOVERY_CODES_FEW && (
                  <Notice tone="warning" title="Create new recovery codes" className="mt-3">
                    Without one, losing the app locks you out until an administrator removes the
                    second factor.
                  </Notice>
                )}
              </>
            ),
          },
          {
            id: 'passkeys',
            title: 'Passkeys',
            description:
              'Sign in with your fingerprint, face or PIN instead of a password and a code. A passkey works on this site only, so it cannot be phished.',
            actions: (
              <AddPasskey
                hasPassword={user.hasPassword}
                mustSignInAgain={mustSignInAgain}
                hasSecondFactor={hasSecondFactor}
              />
            ),
            children: <Passkeys hasPassword={user.hasPassword} passkeys={passkeys} />,
          },
          !mustAddSecondFactor && {
            id: 'sessions',
            title: 'Sessions',
            description: `A session lasts ${SESSION_DAYS} days. If you are still signed in on another device, sign out everywhere.`,
            actions: <SignOutEverywhere />,
            children: (
              <SessionList
                sessions={sessions.map(({ userAgent, ...session }) => ({
                  ...session,
                  device: deviceWords(userAgent),
                  isCurrent: session.sessionId === user.sessionId,
                }))}
              />
            ),
          },
          !mustAddSecondFactor && {
            id: 'access-tokens',
            title: 'Access tokens',
            description: (
              <>
                For programs that manage your projects without a browser, such as{' '}
                <TextLink href="/docs/set-up-from-ci">a workflow that applies a file</TextLink>.
                Each has your role at that moment, or less.
              </>
            ),
            actions: (
              <CreateToken
                hasPassword={user.hasPassword}
                mustSignInAgain={mustSignInAgain}
                hasSecondFactor={hasSecondFactor}
                projects={projects}
                hasMoreProjects={hasMoreProjects}
              />
            ),
            children: <AccessTokens tokens={tokens} />,
          },
          !mustAddSecondFactor && {
            id: 'time-zone',
            title: 'Time zone',
            description:
              'The zone in which you see times. What is counted by day, month or billing period is counted in UTC.',
            children: <ChooseTimeZone chosen={user.timeZone} />,
          },
          !mustAddSecondFactor && {
            id: 'delete',
            title: 'Delete account',
            description:
              'Possible once you own no project: transfer each to a member, or delete it. What you did stays in the audit log.',
            actions: (
              <DeleteAccount
                email={user.email}
                hasPassword={user.hasPassword}
                mustSignInAgain={mustSignInAgain}
              />
            ),
          },
        ]}
      />
    </Column>
  );
}
