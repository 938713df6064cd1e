'use client';

import dynamic from 'next/dynamic';
import { useEffect, useState } from 'react';
import type { ShellProps } from './sections.ts';
import { listenForShortcuts } from './shortcuts.ts';

// Both load when they are opened. The palette loads as soon as Ctrl is down, so that no keystroke is
// lost.
const loadPalette = () => import('./command-palette.tsx');
const CommandPalette = dynamic(loadPalette);
const ShortcutHelp = dynamic(() => import('./shortcut-help.tsx'));

type Shown = 'palette' | 'help' | null;

/** The command palette (Ctrl-K) and the list of shortcuts (`?`). */
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
