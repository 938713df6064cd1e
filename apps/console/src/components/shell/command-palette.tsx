'use client';

import { UUID_PATTERN } from '@ceiba/contract/sets';
import { Command, defaultFilter, useCommandState } from 'cmdk';
import { FolderTree, LogOut, type LucideIcon, Monitor, Moon, Plus, Sun } from 'lucide-react';
import { usePathname, useRouter } from 'next/navigation';
import { signOut } from 'next-auth/react';
import { type ComponentProps, useId, useLayoutEffect, useRef, useState } from 'react';
import { KINDS } from '../../lib/entities.ts';
import type { Entity } from '../../lib/entity.ts';
import { legible, withoutSecrets } from '../../lib/text.ts';
import { mayLeaveFor } from '../../lib/use-leave-guard.ts';
import { useSearch } from '../../lib/use-search.ts';
import { announceLoad } from '../loading-bar.tsx';
import { useTheme } from '../theme.tsx';
import { Modal } from '../ui/dialog.tsx';
import { Name } from '../ui/name.tsx';
import { type Found, SEARCH_LENGTH_MIN } from './found.ts';
import {
  CREATIONS,
  isOffered,
  placeOf,
  placesAt,
  placesOfProject,
  type ShellProps,
  sectionHref,
} from './sections.ts';

const NOTHING: readonly Found[] = [];

const FOUND = 'found by the server';

/** As many characters as an ID begins with. */
const PART_OF_ID_LENGTH_MIN = 8;
const ID = new RegExp(`${UUID_PATTERN}$`);

interface Group {
  heading: string;
  items: (ItemProps & { key: string })[];
}

const THEME_ITEMS = [
  { theme: 'light', name: 'Light theme', icon: Sun },
  { theme: 'dark', name: 'Dark theme', icon: Moon },
  { theme: 'system', name: 'Same theme as the system', icon: Monitor },
] as const;

/**
 * A name has to hold each word of the text: by its letters alone, "acme" would find "Create customer", and
 * choose it before the server answers. What the server found matches already, and comes last.
 */
function scoreOf(value: string, search: string, keywords?: string[]): number {
  if (keywords?.includes(FOUND)) return Number.MIN_VALUE;
  // Three digits are in many an ID.
  const named = search.trim().length < PART_OF_ID_LENGTH_MIN ? value.replace(ID, '') : value;
  const name = named.toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => name.includes(word)) ? 1e-6 + defaultFilter(value, search) : 0;
}

/**
 * Finds pages and actions by a part of their name, and has the server look for keys, customers and
 * requests of all projects, policies of this one, and guides. Of a credential that is pasted, only the visible prefix stays in the field.
 */
export default function CommandPalette({
  user,
  projects,
  searches,
  onClose,
}: ShellProps & { onClose: () => void }) {
  const router = useRouter();
  const pathname = usePathname();
  // On a page that was not found, the address may name a project that the user does not have.
  const place = document.querySelector('[data-no-project]') ? null : placeOf(pathname);
  const { setTheme } = useTheme();
  const headingId = useId();
  const [text, setText] = useState('');
  const { isCurrent, ...answer } = useSearch(text, {
    search: place === null ? searches.elsewhere : searches.inProject,
    projectId: place?.projectId,
    shortest: SEARCH_LENGTH_MIN,
    otherwise: NOTHING,
  });
  const { found, refusal } = isCurrent ? answer : { found: NOTHING, refusal: undefined };

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

  const link = (icon: LucideIcon, name: string, href: string, value = name) => ({
    key: href,
    icon,
    name,
    value,
    onSelect: () => go(href),
  });
  const { find, account, audit, administration, guides, status } = placesAt(pathname);
  const elsewhere = [
    find,
    account,
    { ...audit, name: 'Audit of all projects' },
    ...(user.isAdministrator ? [administration] : []),
    guides,
    status,
  ];
  const allResults = `${find.href}?${new URLSearchParams({ q: text.trim() })}`;
  // In the order of the answer, whose first item is the most likely one.
  const foundKinds = [...new Set(found.map(({ kind }) => kind))].flatMap((as) =>
    KINDS.filter(({ entity }) => entity.found?.as === as),
  );
  const groups: Group[] = [
    {
      heading: 'This project',
      items: place
        ? [
            ...placesOfProject(place, projects).map(({ icon, name, href, group }) => ({
              ...link(icon, name, href),
              ...(group && { detail: group }),
            })),
            ...CREATIONS.filter(({ right }) => isOffered(place, projects, right)).map(
              ({ name, path }) => link(Plus, name, sectionHref(place.projectId, { path })),
            ),
          ]
        : [],
    },
    {
      heading: 'Projects',
      items: [
        ...projects.map(({ projectId, name }) =>
          link(FolderTree, name, `/projects/${projectId}`, `${name} ${projectId}`),
        ),
        link(FolderTree, 'All projects', '/projects'),
        link(Plus, 'Create project', '/projects/new'),
      ],
    },
    {
      heading: 'Elsewhere',
      items: [
        ...elsewhere.map(({ icon, name, href }) => link(icon, name, href)),
        { key: 'sign-out', icon: LogOut, name: 'Sign out', onSelect: leave },
      ],
    },
    {
      heading: 'Theme',
      items: THEME_ITEMS.map(({ theme, ...item }) => ({
        ...item,
        key: theme,
        onSelect: () => setTheme(theme),
      })),
    },
    ...foundKinds.flatMap(({ entity }) => foundGroup(entity, found)),
    {
      heading: 'Find',
      items:
        found.length === 0
          ? []
          : [
              {
                ...link(find.icon, `All results for “${text.trim()}”`, allResults, allResults),
                keywords: [FOUND],
              },
            ],
    },
  ].filter(({ items }) => items.length > 0);

  /** What the server found of one kind. */
  function foundGroup({ name: heading, found: look }: Entity, all: readonly Found[]): Group[] {
    if (look === undefined) return [];
    const items = all
      .filter(({ kind }) => kind === look.as)
      .map(({ href, name, detail }) => ({
        ...link(look.icon, name, href, href),
        detail,
        keywords: [FOUND],
      }));
    return [{ heading, items }];
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
              ? 'Find a project, page, key, customer, request or guide'
              : 'Find a page, key, customer, policy, request or guide'
          }
        >
          <SearchField />
        </Command.Input>
        <Command.List className="max-h-[60vh] overflow-y-auto p-2">
          {isCurrent && refusal === undefined && (
            <Command.Empty className="p-4 text-muted">No results.</Command.Empty>
          )}
          {groups.map(({ heading, items }) => (
            <Command.Group
              key={heading}
              heading={heading}
              className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-muted"
            >
              {items.map(({ key, ...item }) => (
                <Item key={key} {...item} />
              ))}
            </Command.Group>
          ))}
          {!isCurrent && (
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

interface ItemProps {
  icon: LucideIcon;
  name: string;
  /** What is matched, if not the name alone. */
  value?: string;
  detail?: string;
  keywords?: string[];
  onSelect: () => void;
}

function Item({ icon: Icon, name, value, detail, keywords, onSelect }: ItemProps) {
  return (
    <Command.Item
      {...(keywords && { keywords })}
      value={value ?? name}
      onSelect={onSelect}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded px-2 data-[selected=true]:bg-hover"
    >
      <Icon aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <span className="truncate" title={legible(name)}>
        <Name>{name}</Name>
      </span>
      {detail && (
        <span className="ml-auto max-w-1/2 shrink-0 truncate text-small text-muted" title={detail}>
          {detail}
        </span>
      )}
    </Command.Item>
  );
}
