import {
  listPlansWithUse,
  listUsers,
  readRetention,
  readSecondFactorRule,
  readSecondFactorState,
} from '@ceiba/schema';
import type { Metadata } from 'next';
import { ListBar } from '#components/ui/link-tabs.tsx';
import { PageLinks } from '#components/ui/pagination.tsx';
import { SearchInput } from '#components/ui/search-input.tsx';
import { Column, PageHeader, Section } from '#components/ui/section.tsx';
import { plural } from '#lib/format.ts';
import { type PageProps, parseListQuery, type Query, textOf } from '#lib/list-query.ts';
import { withDatabase } from '#server/database.ts';
import { requireAdministrator, type SignedInUser } from '#server/session.ts';
import { AdministrationTabs } from './_components/administration-tabs.tsx';
import { PlanTable, RetentionForm, SecondFactorRule, UserTable } from './_components/parts.ts';

export const metadata: Metadata = { title: 'Administration' };

const TABS = ['plans', 'users', 'sign-in', 'retention'] as const;
const PAGE_SIZE = 25;

export default async function AdministrationPage({ searchParams }: PageProps) {
  const user = await requireAdministrator();
  const query = await searchParams;
  const tab = TABS.find((one) => one === textOf(query, 'tab')) ?? 'plans';
  return (
    <Column>
      <PageHeader
        title="Administration"
        guide="plan"
        description="Settings that apply to all users. Only administrators see this page."
      />
      {tab !== 'users' && <AdministrationTabs current={tab} />}
      {tab === 'plans' && <PlanTable plans={await withDatabase(listPlansWithUse)} />}
      {tab === 'users' && <Users query={query} viewer={user} />}
      {tab === 'sign-in' && <SignIn viewer={user} />}
      {tab === 'retention' && <Retention />}
    </Column>
  );
}

async function Users({ query, viewer }: { query: Query; viewer: SignedInUser }) {
  const { q } = parseListQuery(query);
  const page = await withDatabase((db) =>
    listUsers(db, { text: q, cursor: textOf(query, 'cursor'), limit: PAGE_SIZE, orFirst: true }),
  );
  return (
    <>
      <ListBar tabs={<AdministrationTabs current="users" />}>
        <p className="numbers text-small whitespace-nowrap text-muted">
          {plural(page.total, 'account')}
        </p>
        <SearchInput label="Search e-mail addresses" />
      </ListBar>
      <UserTable ownId={viewer.userId} needsPassword={viewer.hasPassword} users={page.items}>
        <PageLinks here="/admin" query={query} page={page} names={['Newer', 'Older']} />
      </UserTable>
    </>
  );
}

async function SignIn({ viewer: { userId, hasPassword } }: { viewer: SignedInUser }) {
  const [rule, own] = await withDatabase((db) =>
    Promise.all([readSecondFactorRule(db), readSecondFactorState(db, userId)]),
  );
  return (
    <Section
      title="Second factor"
      // The line of the tabs is above it.
      className="border-transparent"
      description="A stolen password alone then opens no account. Accounts that sign in through a provider have their second factor there."
    >
      <SecondFactorRule {...rule} hasOwn={own !== 'none'} needsPassword={hasPassword} />
    </Section>
  );
}

async function Retention() {
  const retention = await withDatabase(readRetention);
  return (
    <Section
      title="How long data is kept"
      // The line of the tabs is above it.
      className="border-transparent"
      description="Older data is deleted within an hour and cannot be restored. This month’s counts are always kept, so quotas are not affected."
    >
      <RetentionForm {...retention} />
    </Section>
  );
}
