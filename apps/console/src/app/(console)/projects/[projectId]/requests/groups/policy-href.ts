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
  return `/projects/${projectId}/policies/new?${query}`;
}

/** `/v1/users*` for `/v1/users/{id}`; null if the pattern would be `*`, which allows every path. */
function patternOf(pathShape: string): string | null {
  const base = prefixOf(pathShape);
  if (base === pathShape) return pathShape;
  return base === '' ? null : `${base}*`;
}

/** What the paths of a shape begin with: the part before its first ID. */
export const prefixOf = (pathShape: string): string => pathShape.split(ID)[0] ?? '';
