import { z } from 'zod';
import { policySchema } from './schema.ts';

/** A mistake in a file, with its position. */
export interface Problem {
  path: readonly PropertyKey[];
  message: string;
  /** Where the problem is in the text, if it has no path. */
  offset?: number;
}

/**
 * Finds problems that involve more than one field. It reads the unvalidated value, so that these
 * problems are reported together with those of single fields.
 */
export function crossFieldProblems(raw: unknown): Problem[] {
  const file = looseFile.safeParse(raw).data;
  if (file === undefined) return [];
  return [
    ...ownerProblems(file),
    ...repeats(file.plans, nameOf).map(({ index, first }) => ({
      path: ['plans', index, 'name'],
      message: `is also the name of plans[${first}]`,
    })),
    ...repeats(file.projects, nameOf).map(({ index, first }) => ({
      path: ['projects', index, 'name'],
      message: `is also the name of projects[${first}]`,
    })),
    ...file.projects.flatMap(customerPlanProblems),
    ...file.projects.flatMap(policyProblems),
  ];
}

const list = z.array(z.unknown()).catch([]);
const looseFile = z.object({ owner: z.unknown().optional(), plans: list, projects: list });
const looseProject = z.object({ policies: list, customerPlans: list });
const named = z.object({ name: z.string() });

function ownerProblems({ owner, projects }: z.infer<typeof looseFile>): Problem[] {
  if (owner !== undefined || projects.length === 0) return [];
  return [{ path: ['owner'], message: 'is missing: the projects need an owner' }];
}

function customerPlanProblems(project: unknown, projectIndex: number): Problem[] {
  const plans = looseProject.safeParse(project).data?.customerPlans ?? [];
  return repeats(plans, nameOf).map(({ index, first }) => ({
    path: ['projects', projectIndex, 'customerPlans', index, 'name'],
    message: `is also the name of customerPlans[${first}]`,
  }));
}

function policyProblems(project: unknown, projectIndex: number): Problem[] {
  const policies = looseProject.safeParse(project).data?.policies ?? [];
  return repeats(policies, normalFormOf).map(({ index, first }) => ({
    path: ['projects', projectIndex, 'policies', index],
    message: `is the same policy as policies[${first}]`,
  }));
}

const nameOf = (item: unknown) => named.safeParse(item).data?.name.trim();

/** A policy in its normal form, which is the same for every spelling of its method and pattern. */
function normalFormOf(policy: unknown): string | undefined {
  const rule = policySchema.safeParse(policy).data;
  return rule === undefined ? undefined : `${rule.method} ${rule.pathPattern}`;
}

/** Finds the items whose label an earlier item has, with the index of the first such item. */
function repeats(items: readonly unknown[], labelOf: (item: unknown) => string | undefined) {
  const seen = new Map<string, number>();
  return items.flatMap((item, index) => {
    const label = labelOf(item);
    const first = label === undefined ? undefined : seen.get(label);
    if (first !== undefined) return [{ index, first }];
    if (label !== undefined) seen.set(label, index);
    return [];
  });
}
