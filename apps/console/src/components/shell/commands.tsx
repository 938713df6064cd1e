'use client';

import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import type { ShellProps } from './shell-props.ts';
import { listenForShortcuts } from './shortcuts.ts';

// Neither is needed until it is opened. The palette is fetched while its first key is held
// down, so that what is typed next is not lost.
const loadPalette = () => import('./command-palette.tsx');
const CommandPalette = dynamic(loadPalette);
const ShortcutHelp = dynamic(() => import('./shortcut-help.tsx'));

type Shown = 'palette' | 'help' | null;

/** The command palette under Ctrl-K and the list of shortcuts under `?`. */
export function Commands(shell: ShellProps) {
  const [shown, setShown] = useState<Shown>(null);
  useEffect(
    () =>
      listenForShortcuts({
        onModifier: loadPalette,
        onPalette: () => setShown((now) => (now === 'palette' ? null : 'palette')),
        onHelp: () => setShown('help'),
      }),
    [],
  );
  const close = () => setShown(null);
  return (
    <>
      {shown === 'palette' && <CommandPalette {...shell} onClose={close} />}
      {shown === 'help' && <ShortcutHelp onClose={close} />}
    </>
  );
}
