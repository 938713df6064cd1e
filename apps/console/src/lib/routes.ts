export interface Route {
  method: string;
  pathPattern: string;
}

/** What a text of routes asks for; with an error, nothing of it is added. */
export interface Routes {
  rules: Route[];
  error?: string;
}

/** As many as one form adds. */
const ROUTES_MAX = 50;

const ROUTE = /^(?:([A-Za-z]{1,20}|\*)\s+)?(\/\S*)$/;
/** A segment that stands for many: `:id`, `{id}`, `[id]`, `<id>`, `*`. */
const PARAMETER = /\/(?::|\{|\[|<|\*).*$/;

/**
 * The policies for the routes of a host, one a line: `GET /v1/reports/:id`. Without a method, GET. A
 * policy has no parameters, so from the first one on, a route becomes a prefix: `/v1/reports*`. The
 * server checks the rest of the pattern.
 */
export function parseRoutes(text: string): Routes {
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  if (lines.length === 0) return { rules: [], error: 'Name at least one route.' };
  if (lines.length > ROUTES_MAX) {
    return { rules: [], error: `At most ${ROUTES_MAX} routes are added at once.` };
  }
  const rules = new Map<string, Route>();
  for (const line of lines) {
    const rule = ruleOf(line);
    if (typeof rule === 'string') return { rules: [], error: rule };
    rules.set(`${rule.method} ${rule.pathPattern}`, rule);
  }
  return { rules: [...rules.values()] };
}

function ruleOf(line: string): Route | string {
  const [, method = 'GET', path = ''] = ROUTE.exec(line) ?? [];
  if (path === '') return `“${line}” is no route: write it as GET /v1/reports.`;
  const [plain = ''] = path.split('?');
  const prefix = plain.replace(PARAMETER, '');
  if (prefix === '' && plain !== '/') {
    return `“${line}” would allow every path. Add such a policy on the page Policies.`;
  }
  return {
    method: method.toUpperCase(),
    pathPattern: prefix === plain ? plain : `${prefix}*`,
  };
}
