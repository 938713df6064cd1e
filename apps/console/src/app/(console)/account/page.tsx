import { SESSION_DAYS } from '@ceiba/domain/facts';
import type { Metadata } from 'next';
import { Chip } from '#components/ui/chip.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { requireUser } from '#server/session.ts';
import { ChangePassword } from './_components/change-password.tsx';
import { SignOut, SignOutEverywhere } from './_components/sign-out.tsx';

export const metadata: Metadata = { title: 'Account' };

export default async function AccountPage() {
  const user = await requireUser();
  return (
    <Column className="max-w-[45rem]">
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
      {user.hasPassword && (
        <Section
          title="Password"
          description="Changing it signs you out in every browser, including this one."
        >
          <ChangePassword email={user.email} />
        </Section>
      )}
      <Section
        title="Sessions"
        description={`A session lasts ${SESSION_DAYS} days. If you are still signed in on another device, sign out everywhere.`}
      >
        <SignOutEverywhere />
      </Section>
    </Column>
  );
}
