/** One thing that was looked at. Errors have to be mended; warnings are for the operator to judge. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'error';
  detail: string;
  /** What to do; null when nothing is to be done. */
  remedy: string | null;
}

export const ok = (name: string, detail: string): Check => ({
  name,
  status: 'ok',
  detail,
  remedy: null,
});

export const warning = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'warning',
  detail,
  remedy,
});

export const error = (name: string, detail: string, remedy: string): Check => ({
  name,
  status: 'error',
  detail,
  remedy,
});
