'use client';

import { clsx } from 'clsx';
import { Monitor, Moon, Sun } from 'lucide-react';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { preferenceCookie, THEME_COOKIE, THEMES, type Theme } from '../lib/preferences.ts';

interface ThemeControl {
  theme: Theme;
  setTheme: (theme: Theme) => void;
}

const ThemeContext = createContext<ThemeControl>({ theme: 'system', setTheme: () => {} });

export const useTheme = (): ThemeControl => useContext(ThemeContext);

/** Keeps the theme in a cookie, so that the server renders it and a reload does not flash. */
export function ThemeProvider({ initial, children }: { initial: Theme; children: ReactNode }) {
  const [theme, keep] = useState(initial);
  const control = useMemo<ThemeControl>(
    () => ({
      theme,
      setTheme(next) {
        keep(next);
        document.documentElement.dataset.theme = next;
        // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
        document.cookie = preferenceCookie(THEME_COOKIE, next);
      },
    }),
    [theme],
  );
  return <ThemeContext value={control}>{children}</ThemeContext>;
}

const LOOKS = {
  system: { label: 'Same as system', icon: Monitor },
  light: { label: 'Light', icon: Sun },
  dark: { label: 'Dark', icon: Moon },
} as const satisfies Record<Theme, object>;

/** System, light or dark. */
export function ThemeToggle({ className }: { className?: string }) {
  const { theme, setTheme } = useTheme();
  return (
    <fieldset className={clsx('inline-flex rounded border bg-surface p-0.5', className)}>
      <legend className="sr-only">Theme</legend>
      {THEMES.map((choice) => {
        const { label, icon: Icon } = LOOKS[choice];
        return (
          <button
            key={choice}
            type="button"
            aria-pressed={theme === choice}
            aria-label={label}
            title={label}
            onClick={() => setTheme(choice)}
            className="inline-flex size-7 items-center justify-center rounded text-muted transition-colors hover:text-ink aria-pressed:bg-accent-soft aria-pressed:text-ink"
          >
            <Icon aria-hidden="true" className="size-4" />
          </button>
        );
      })}
    </fieldset>
  );
}
