import type { MintedCredential } from '@ceiba/domain';
import { DEFAULT_PLAN_NAME } from '@ceiba/domain';
import { eq } from 'drizzle-orm';
import { writeAudit } from '../audit/write.ts';
import { inTransaction, type VerbContext } from '../context.ts';
import { checked } from '../input.ts';
import { plans, projects, subscriptions } from '../tables.ts';

export interface CreateProjectInput {
  ownerId: string;
  name: string;
  /** The caller shows its plaintext once. */
  secret: MintedCredential;
}

export type CreateProjectResult = { kind: 'created'; projectId: string } | { kind: 'name_taken' };

/** Creates a project on the plan `Free`. A name is unique among its owner's projects. */
export async function createProject(
  ctx: VerbContext,
  input: CreateProjectInput,
): Promise<CreateProjectResult> {
  const { ownerId, name, secret } = checked(input, ['name']);
  return inTransaction(ctx, async (tx) => {
    const [plan] = await tx
      .select({ planId: plans.id })
      .from(plans)
      .where(eq(plans.name, DEFAULT_PLAN_NAME));
    if (plan === undefined) throw new Error(`the plan "${DEFAULT_PLAN_NAME}" is missing`);
    const [project] = await tx
      .insert(projects)
      .values({ ownerId, name, secretDigest: secret.digest })
      .onConflictDoNothing({ target: [projects.ownerId, projects.name] })
      .returning({ projectId: projects.id });
    if (project === undefined) return { kind: 'name_taken' };
    await tx.insert(subscriptions).values({ projectId: project.projectId, planId: plan.planId });
    await writeAudit(tx, ctx, {
      action: 'project.create',
      target: { id: project.projectId, label: name },
      projectId: project.projectId,
      ownerId,
      after: { name, plan: DEFAULT_PLAN_NAME },
    });
    return { kind: 'created', projectId: project.projectId };
  });
}
