'use client';

import { Command } from 'cmdk';
import { FolderTree, type LucideIcon, Monitor, Moon, Plus, Sun } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { Dialog as RadixDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { legible } from '../../lib/text.ts';
import { mayLeaveFor } from '../../lib/use-leave-guard.ts';
import { useTheme } from '../theme.tsx';
import { Name } from '../ui/name.tsx';
import { placeOf, placesAt, placesOfProject, type ShellProps } from './sections.ts';

/** Finds pages and actions by a part of their name. */
export default function CommandPalette({
  user,
  projects,
  onClose,
}: ShellProps & { onClose: () => void }) {
  const router = useRouter();
  const pathname = usePathname();
  const place = placeOf(pathname);
  const { account, audit, administration, guides, status } = placesAt(pathname);
  const elsewhere = [account, { ...audit, name: 'Audit of all projects' }];
  if (user.isAdministrator) elsewhere.push(administration);
  elsewhere.push(guides, status);
  const { setTheme } = useTheme();

  function go(href: string) {
    onClose();
    if (mayLeaveFor(href)) router.push(href);
  }

  return (
    <RadixDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <RadixDialog.Content
          aria-describedby={undefined}
          className="fixed inset-x-4 top-[10vh] z-50 mx-auto max-w-xl animate-fade overflow-hidden rounded border bg-surface focus:outline-none"
        >
          <RadixDialog.Title className="sr-only">Go to</RadixDialog.Title>
          <Command label="Go to" loop>
            <Command.Input
              placeholder="Go to a project, a page or an action"
              className="h-12 w-full border-b bg-transparent px-4 placeholder:text-muted focus-visible:outline-none"
            />
            <Command.List className="max-h-[60vh] overflow-y-auto p-2">
              <Command.Empty className="p-4 text-muted">No results.</Command.Empty>
              {place && (
                <Group heading="This project">
                  {placesOfProject(place).map(({ href, name, icon }) => (
                    <Item key={href} icon={icon} onSelect={() => go(href)}>
                      {name}
                    </Item>
                  ))}
                </Group>
              )}
              <Group heading="Projects">
                {projects.map(({ projectId, name }) => (
                  <Item
                    key={projectId}
                    value={`${name} ${projectId}`}
                    icon={FolderTree}
                    onSelect={() => go(`/projects/${projectId}`)}
                  >
                    {name}
                  </Item>
                ))}
                <Item icon={FolderTree} onSelect={() => go('/projects')}>
                  All projects
                </Item>
                <Item icon={Plus} onSelect={() => go('/projects/new')}>
                  Create project
                </Item>
              </Group>
              <Group heading="Elsewhere">
                {elsewhere.map(({ href, name, icon }) => (
                  <Item key={href} icon={icon} onSelect={() => go(href)}>
                    {name}
                  </Item>
                ))}
              </Group>
              <Group heading="Theme">
                <Item icon={Sun} onSelect={() => setTheme('light')}>
                  Light theme
                </Item>
                <Item icon={Moon} onSelect={() => setTheme('dark')}>
                  Dark theme
                </Item>
                <Item icon={Monitor} onSelect={() => setTheme('system')}>
                  Same theme as the system
                </Item>
              </Group>
            </Command.List>
          </Command>
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-muted"
    >
      {children}
    </Command.Group>
  );
}

interface ItemProps {
  icon: LucideIcon;
  value?: string;
  onSelect: () => void;
  children: string;
}

function Item({ icon: Icon, value, onSelect, children }: ItemProps) {
  return (
    <Command.Item
      value={value ?? children}
      onSelect={onSelect}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded px-2 data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="truncate" title={legible(children)}>
        <Name>{children}</Name>
      </span>
    </Command.Item>
  );
}
