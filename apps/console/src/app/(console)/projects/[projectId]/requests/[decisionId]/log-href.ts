/** The address of a request in another engine for logs; undefined without a template. */
export const logHref = (
  template: string | undefined,
  ids: { projectId: string; decisionId: string },
): string | undefined =>
  template?.replace(/\{(projectId|decisionId)\}/g, (_, name: keyof typeof ids) => ids[name]);
