/** Preferences are in cookies, so that the server renders them. They are neither secret nor trusted. */
export const THEME_COOKIE = 'ceiba-theme';
export const TIME_ZONE_COOKIE = 'ceiba-zone';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export function parseTheme(text: string | undefined): Theme {
  return THEMES.find((theme) => theme === text) ?? 'system';
}

export const DENSITY_COOKIE = 'ceiba-density';

/** How tall the rows of a list are. */
export type Density = 'comfortable' | 'compact';

export const parseDensity = (text: string | undefined): Density =>
  text === 'compact' ? 'compact' : 'comfortable';

const ONE_YEAR_SECONDS = 31_536_000;

/** The value to assign to `document.cookie`. */
export function preferenceCookie(name: string, value: string): string {
  return `${name}=${encodeURIComponent(value)}; path=/; max-age=${ONE_YEAR_SECONDS}; samesite=lax`;
}
