'use client';

const OPEN_PALETTE = 'ceiba:open-palette';
export const SINGLE_KEYS_OFF = 'ceiba-single-keys-off';

export interface ShortcutHandlers {
  /** Ctrl or Cmd is down: the palette may open next. */
  onModifier: () => void;
  onPalette: () => void;
  onHelp: () => void;
}

export function openCommandPalette(): void {
  window.dispatchEvent(new Event(OPEN_PALETTE));
}

/**
 * Listens for the shortcuts, which `shortcut-help.tsx` lists. The elements that `/` focuses and that
 * `n` and `z` click have `data-shortcut="search"`, `"new"` and `"undo"`. Single keys can be turned off
 * (WCAG 2.1.4). While it listens, the root element has the attribute `data-shortcuts`, which tests wait for.
 *
 * @returns a function that stops listening
 */
export function listenForShortcuts({
  onModifier,
  onPalette,
  onHelp,
}: ShortcutHandlers): () => void {
  function onKey(event: KeyboardEvent) {
    if (event.key === 'Control' || event.key === 'Meta') onModifier();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      onPalette();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isBusy(event.target)) return;
    if (!singleKeysAreOn()) return;
    if (event.key === '?') onHelp();
    else if (event.key === '/') use('search', event);
    else if (event.key === 'n') use('new', event);
    else if (event.key === 'z') use('undo', event);
    else if (/^[jkx]$/.test(event.key))
      void import('./row-keys.ts').then((rows) => rows.use(event.key));
  }
  window.addEventListener('keydown', onKey);
  window.addEventListener(OPEN_PALETTE, onPalette);
  document.documentElement.dataset.shortcuts = 'on';
  return () => {
    delete document.documentElement.dataset.shortcuts;
    window.removeEventListener('keydown', onKey);
    window.removeEventListener(OPEN_PALETTE, onPalette);
  };
}

export const singleKeysAreOn = (): boolean => localStorage.getItem(SINGLE_KEYS_OFF) === null;

/** Whether a field or an open dialog receives the keys. */
function isBusy(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open], nav:popover-open') !== null) return true;
  const fields = 'input:not([type=checkbox]), textarea, select';
  return target instanceof Element && target.closest(fields) !== null;
}

function use(name: 'search' | 'new' | 'undo', event: KeyboardEvent): void {
  const marked = document.querySelectorAll<HTMLElement>(`[data-shortcut=${name}]`);
  // Of several changes the last one.
  const element = marked[name === 'undo' ? marked.length - 1 : 0];
  if (element === undefined) return;
  event.preventDefault();
  if (name === 'search') {
    // A field that is closed away cannot be focused.
    element.closest('details')?.setAttribute('open', '');
    element.focus();
  } else {
    element.click();
  }
}
