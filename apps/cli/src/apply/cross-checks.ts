import { z } from 'zod';
import { policySchema } from './schema.ts';

/** What is wrong with a file, and where. */
export interface Problem {
  path: readonly PropertyKey[];
  message: string;
  /** Where it stands in the text, when the path does not say. */
  offset?: number;
}

/**
 * Problems between fields, looked for in the raw value so that they are told together with those
 * of single fields.
 */
export function problemsAcross(raw: unknown): Problem[] {
  const file = looseFile.safeParse(raw).data;
  if (file === undefined) return [];
  return [
    ...ownerProblems(file),
    ...repeats(file.plans, nameOf).map(({ index, first }) => ({
      path: ['plans', index, 'name'],
      message: `is the name of plans[${first}] already`,
    })),
    ...repeats(file.projects, nameOf).map(({ index, first }) => ({
      path: ['projects', index, 'name'],
      message: `is the name of projects[${first}] already`,
    })),
    ...file.projects.flatMap(policyProblems),
  ];
}

const list = z.array(z.unknown()).catch([]);
const looseFile = z.object({ owner: z.unknown().optional(), plans: list, projects: list });
const looseProject = z.object({ policies: list });
const named = z.object({ name: z.string() });

function ownerProblems({ owner, projects }: z.infer<typeof looseFile>): Problem[] {
  if (owner !== undefined || projects.length === 0) return [];
  return [{ path: ['owner'], message: 'is missing: somebody has to own the projects' }];
}

function policyProblems(project: unknown, projectIndex: number): Problem[] {
  const policies = looseProject.safeParse(project).data?.policies ?? [];
  return repeats(policies, policyWords).map(({ index, first }) => ({
    path: ['projects', projectIndex, 'policies', index],
    message: `is the same policy as policies[${first}]`,
  }));
}

const nameOf = (item: unknown) => named.safeParse(item).data?.name.trim();

/** The same for every spelling of one method and pattern. */
function policyWords(policy: unknown): string | undefined {
  const rule = policySchema.safeParse(policy).data;
  return rule === undefined ? undefined : `${rule.method} ${rule.pathPattern}`;
}

function repeats(items: readonly unknown[], wordsOf: (item: unknown) => string | undefined) {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const words = wordsOf(item);
    const first = words === undefined ? undefined : seen.get(words);
    if (first !== undefined) return [{ index, first }];
    if (words !== undefined) seen.set(words, index);
    return [];
  });
}
