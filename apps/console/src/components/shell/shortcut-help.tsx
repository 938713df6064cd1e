'use client';

import { useState } from 'react';
import { Dialog } from '../ui/dialog.tsx';
import { Checkbox } from '../ui/input.tsx';
import { SINGLE_KEYS_OFF, singleKeysAreOn } from './shortcuts.ts';

const SHORTCUTS = [
  { keys: ['Ctrl', 'K'], does: 'Find anything, or act' },
  { keys: ['/'], does: 'Search on this page' },
  { keys: ['n'], does: 'Create a new item on this page' },
  { keys: ['j', 'k'], does: 'Next and previous row of a table' },
  { keys: ['Enter'], does: 'Open the row' },
  { keys: ['x'], does: 'Select the row' },
  { keys: ['z'], does: 'Undo, while its message is shown' },
  { keys: ['?'], does: 'Show this list' },
] as const;

export default function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(singleKeysAreOn);
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <dl className="divide-y border-y">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="flex items-center justify-between gap-4 py-2">
            <dt>{does}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <kbd key={key} className="rounded border bg-sunken px-2 text-small">
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Checkbox
        className="mt-4"
        label="Single-key shortcuts"
        hint="Turn them off if you use speech input or press keys by accident."
        checked={on}
        onChange={(event) => {
          setSingleKeys(event.target.checked);
          setOn(event.target.checked);
        }}
      />
    </Dialog>
  );
}

function setSingleKeys(on: boolean): void {
  if (on) localStorage.removeItem(SINGLE_KEYS_OFF);
  else localStorage.setItem(SINGLE_KEYS_OFF, '1');
}
