import { Link } from './link.tsx';

export interface LinkTabsProps {
  label: string;
  tabs: readonly { href: string; name: string; current: boolean }[];
}

/** Tabs that are links, so that the URL holds the current one. */
export function LinkTabs({ label, tabs }: LinkTabsProps) {
  return (
    <nav aria-label={label} className="mb-6 flex gap-1 overflow-x-auto border-b">
      {tabs.map(({ href, name, current }) => (
        <Link
          key={href}
          href={href}
          scroll={false}
          aria-current={current ? 'page' : undefined}
          className="-mb-px flex h-10 items-center border-b-2 border-transparent px-2 sm:px-3 font-medium whitespace-nowrap text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 aria-[current=page]:border-accent-text aria-[current=page]:text-ink"
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
