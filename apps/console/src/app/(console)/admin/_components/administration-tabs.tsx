import { LinkTabs } from '#components/ui/link-tabs.tsx';

const ADMINISTRATION_TABS = [
  { value: 'plans', name: 'Plans', href: '/admin' },
  { value: 'users', name: 'Accounts', href: '/admin?tab=users' },
  { value: 'sign-in', name: 'Sign-in', href: '/admin?tab=sign-in' },
  { value: 'retention', name: 'Retention', href: '/admin?tab=retention' },
  { value: 'audit', name: 'Audit', href: '/admin/audit' },
] as const;

export function AdministrationTabs({
  current,
}: {
  current: (typeof ADMINISTRATION_TABS)[number]['value'];
}) {
  return (
    <LinkTabs
      label="Administration"
      tabs={ADMINISTRATION_TABS.map(({ value, ...tab }) => ({
        ...tab,
        current: value === current,
      }))}
    />
  );
}
