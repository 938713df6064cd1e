/** A segment of a shape that is an ID. */
const ID = '/{id}';

interface Denied {
  method: string;
  /** The path with its IDs replaced: `/v1/users/{id}`. */
  pathShape: string;
  samplePath: string;
}

/** The page that adds a policy for denied calls, filled in. */
export function policyHref(projectId: string, { method, pathShape, samplePath }: Denied): string {
  const query = new URLSearchParams({ method, path: samplePath });
  // The caller chose the path: as a pattern, a * in it would allow more than was denied.
  if (!samplePath.includes('*')) query.set('pathPattern', patternOf(pathShape) ?? samplePath);
  // The form compares its pattern with this.
  query.set('denied', pathShape);
  return `/projects/${projectId}/policies/new?${query}`;
}

/** `/v1/users*` for `/v1/users/{id}`; null if the pattern would be `*`, which allows every path. */
function patternOf(pathShape: string): string | null {
  const base = baseOf(pathShape);
  if (base === pathShape) return pathShape;
  return base === '' ? null : `${base}*`;
}

const baseOf = (pathShape: string): string => pathShape.split(ID)[0] ?? '';

/**
 * What the paths of a shape begin with, as the filter of the requests takes it: the part before its
 * first ID. Null if there is none; the filter reads every prefix as one that begins with a slash.
 */
export const prefixOf = (pathShape: string | null): string | null =>
  pathShape?.startsWith('/') ? baseOf(pathShape) || null : null;
