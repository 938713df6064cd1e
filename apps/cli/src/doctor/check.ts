/** The result of one check. Errors must be fixed; warnings are for the operator to judge. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'error';
  detail: string;
  /** What to do; null when there is nothing to do. */
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
