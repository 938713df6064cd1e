'use client';

import { Command, defaultFilter, useCommandState } from 'cmdk';
import {
  ArrowLeftRight,
  BookOpen,
  FolderTree,
  KeyRound,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Route,
  Sun,
} from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { signOut } from 'next-auth/react';
import {
  type ComponentProps,
  type ReactNode,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { legible, withoutSecrets } from '../../lib/text.ts';
import { mayLeaveFor } from '../../lib/use-leave-guard.ts';
import { announceLoad } from '../loading-bar.tsx';
import { useTheme } from '../theme.tsx';
import { Modal } from '../ui/dialog.tsx';
import { Name } from '../ui/name.tsx';
import type { Found } from './found.ts';
import {
  isOffered,
  placeOf,
  placesAt,
  placesOfProject,
  type ShellProps,
  sectionHref,
} from './sections.ts';
import { useFound } from './use-found.ts';

const KINDS = {
  key: { heading: 'Keys', icon: KeyRound },
  policy: { heading: 'Policies', icon: Route },
  request: { heading: 'Requests', icon: ArrowLeftRight },
  guide: { heading: 'Guides', icon: BookOpen },
} as const satisfies Record<Found['kind'], { heading: string; icon: LucideIcon }>;

const CREATIONS = [
  { path: 'keys/new', name: 'Create key', right: 'change_keys' },
  { path: 'policies/new', name: 'Create policy', right: 'change_policies' },
] as const;

const FOUND = 'found by the server';

/** What the server found matches already, and comes after what the palette finds itself. */
const scoreOf = (value: string, search: string, keywords?: string[]): number =>
  keywords?.includes(FOUND) ? Number.MIN_VALUE : defaultFilter(value, search, keywords);

/**
 * Finds pages and actions by a part of their name, and has the server look for keys, policies,
 * requests and guides. Of a credential that is pasted, only the visible prefix stays in the field.
 */
export default function CommandPalette({
  user,
  projects,
  searches,
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
  const headingId = useId();
  const [text, setText] = useState('');
  const { found, refusal, isSearching } = useFound(searches, place?.projectId, text);

  function go(href: string) {
    onClose();
    if (!mayLeaveFor(href)) return;
    announceLoad(href);
    router.push(href);
  }

  function leave() {
    onClose();
    void signOut({ callbackUrl: '/' });
  }

  return (
    <Modal
      role="dialog"
      aria-labelledby={headingId}
      onClose={onClose}
      className="inset-x-4 top-[10vh] bottom-auto max-h-none w-auto rounded sm:mx-auto sm:w-xl"
    >
      <h2 id={headingId} className="sr-only">
        Go to
      </h2>
      <Command label="Go to" loop filter={scoreOf}>
        <Command.Input
          asChild
          value={text}
          onValueChange={(typed) => setText(withoutSecrets(typed))}
          placeholder={
            place === null
              ? 'Find a project, page, action or guide'
              : 'Find a page, key, policy, request or guide'
          }
        >
          <SearchField />
        </Command.Input>
        <Command.List className="max-h-[60vh] overflow-y-auto p-2">
          {!isSearching && refusal === undefined && (
            <Command.Empty className="p-4 text-muted">No results.</Command.Empty>
          )}
          {place && (
            <Group heading="This project">
              {placesOfProject(place, projects).map(({ href, name, icon }) => (
                <Item key={href} icon={icon} onSelect={() => go(href)}>
                  {name}
                </Item>
              ))}
              {CREATIONS.filter(({ right }) => isOffered(place, projects, right)).map(
                ({ path, name }) => (
                  <Item
                    key={path}
                    icon={Plus}
                    onSelect={() => go(sectionHref(place.projectId, { path }))}
                  >
                    {name}
                  </Item>
                ),
              )}
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
            <Item icon={LogOut} onSelect={leave}>
              Sign out
            </Item>
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
          <FoundGroups found={found} onSelect={go} />
          {isSearching && (
            <Command.Loading label="Searching" className="p-2 text-small text-muted">
              Searching…
            </Command.Loading>
          )}
        </Command.List>
        {refusal !== undefined && (
          <p role="alert" className="px-4 pb-4 text-deny-text">
            {refusal}
          </p>
        )}
        <p role="status" className="sr-only">
          {found.length > 0 && `${found.length} found by the search`}
        </p>
      </Command>
    </Modal>
  );
}

/** Names the selected option to screen readers. cmdk looks for it before the options have rendered. */
function SearchField({ ref: _, ...input }: ComponentProps<'input'>) {
  const field = useRef<HTMLInputElement>(null);
  const [optionId, setOptionId] = useState<string>();
  useCommandState(({ value }) => value);
  useLayoutEffect(() => {
    const list = field.current?.closest('[cmdk-root]');
    setOptionId(list?.querySelector('[role=option][aria-selected=true]')?.id);
  });
  return (
    <input
      {...input}
      ref={field}
      aria-activedescendant={optionId}
      className="h-12 w-full border-b bg-transparent px-4 placeholder:text-muted focus-visible:outline-none"
    />
  );
}

/** What the server found, by kind. */
function FoundGroups({
  found,
  onSelect,
}: {
  found: readonly Found[];
  onSelect: (href: string) => void;
}) {
  return Object.entries(KINDS).map(([kind, { heading, icon }]) => {
    const group = found.filter((each) => each.kind === kind);
    if (group.length === 0) return null;
    return (
      <Group key={kind} heading={heading}>
        {group.map(({ href, name, detail }) => (
          <Item
            key={href}
            value={href}
            icon={icon}
            detail={detail}
            keywords={[FOUND]}
            onSelect={() => onSelect(href)}
          >
            {name}
          </Item>
        ))}
      </Group>
    );
  });
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
  detail?: string;
  keywords?: string[];
  onSelect: () => void;
  children: string;
}

function Item({ icon: Icon, value, detail, keywords, onSelect, children }: ItemProps) {
  return (
    <Command.Item
      {...(keywords && { keywords })}
      value={value ?? children}
      onSelect={onSelect}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded px-2 data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="truncate" title={legible(children)}>
        <Name>{children}</Name>
      </span>
      {detail && <span className="ml-auto shrink-0 text-small text-muted">{detail}</span>}
    </Command.Item>
  );
}
