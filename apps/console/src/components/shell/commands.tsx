'use client';

import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import type { ShellProps } from './app-shell.tsx';
import { listenForShortcuts } from './shortcuts.ts';

// Neither is needed until somebody asks for it.
const CommandPalette = dynamic(() => import('./command-palette.tsx'));
const ShortcutHelp = dynamic(() => import('./shortcut-help.tsx'));

type Shown = 'palette' | 'help' | null;

/** The command palette under Ctrl-K and the list of shortcuts under `?`. */
export function Commands(shell: ShellProps) {
  const [shown, setShown] = useState<Shown>(null);
  useEffect(
    () =>
      listenForShortcuts({
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
