/** The result of one check. Errors must be fixed; warnings are for the operator to judge. */
export interface Check {
  name: string;
  status: 'ok' | 'warning' | 'error';
  detail: string;
  /** What to do; null when there is nothing to do. */
  remedy: string | null;
}

const problem =
  (status: 'warning' | 'error') =>
  (name: string, detail: string, remedy: string): Check => ({ name, status, detail, remedy });

export const warning = problem('warning');
export const error = problem('error');
export const ok = (name: string, detail: string): Check => ({
  name,
  status: 'ok',
  detail,
  remedy: null,
});
