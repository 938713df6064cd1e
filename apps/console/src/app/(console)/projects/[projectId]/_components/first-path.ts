import 'server-only';
import type { ProjectRight } from '@ceiba/domain';
import { type FirstSteps, type Project, readFirstSteps } from '@ceiba/schema';
import { cookies } from 'next/headers';
import {
  CLOSED_CHECKLISTS_COOKIE,
  projectsIn,
  STORED_SECRETS_COOKIE,
} from '#lib/remembered-projects.ts';
import { withDatabase } from '#server/database.ts';

/** The steps from sign-up to the first allowed call, in their order. */
export const FIRST_PATH = {
  account: 'Create your account',
  project: 'Create the project and store its secret',
  policy: 'Add policies for your routes',
  key: 'Create a key',
  call: 'Make the first call',
} as const;
export type PathStep = keyof typeof FIRST_PATH;

export const PATH_STEPS = Object.keys(FIRST_PATH) as PathStep[];

export interface FirstPath {
  done: Record<PathStep, boolean>;
  /** The first step that is not done; null once it works. */
  open: PathStep | null;
}

export interface PathReader {
  project: Project;
  may: (right: ProjectRight) => boolean;
}

/**
 * How far the project is, for a user who can follow the path and did not hide it.
 *
 * @returns null for others, and for a project whose first allowed call is longer ago than a day
 */
export async function firstPath(
  { project: { projectId, isUnsampled }, may }: PathReader,
  first: FirstSteps,
): Promise<FirstPath | null> {
  if (first.allowed && !isUnsampled) return null;
  if (!may('change_keys') || !may('change_policies')) return null;
  const remembered = await cookies();
  const isIn = (cookie: string) => projectsIn(remembered.get(cookie)?.value).includes(projectId);
  if (isIn(CLOSED_CHECKLISTS_COOKIE)) return null;
  const done = {
    account: true,
    // Only the owner has the secret, and can rotate it.
    project: !may('change_secret') || first.called || isIn(STORED_SECRETS_COOKIE),
    policy: first.policy,
    key: first.key,
    call: first.allowed,
  };
  const open = first.allowed ? null : (PATH_STEPS.find((step) => !done[step]) ?? null);
  return { done, open };
}

/** As {@link firstPath}, for a page that does not read the steps itself. */
export const readFirstPath = async (reader: PathReader) =>
  firstPath(reader, await withDatabase((db) => readFirstSteps(db, reader.project.projectId)));
