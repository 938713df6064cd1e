import { LinkTabs } from '#components/ui/link-tabs.tsx';
import { requestsHref } from '#lib/requests-href.ts';

export interface RequestViewsProps {
  projectId: string;
  current: 'list' | 'groups';
}

/** The two views of the log. */
export function RequestViews({ projectId, current }: RequestViewsProps) {
  const here = requestsHref(projectId, {});
  return (
    <LinkTabs
      label="View"
      tabs={[
        { name: 'Each request', href: here, current: current === 'list' },
        { name: 'Denials by path', href: `${here}/groups`, current: current === 'groups' },
      ]}
    />
  );
}
