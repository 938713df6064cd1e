import { getProject, type VerbContext } from '@ceiba/schema';
import { badInput } from './errors.ts';

export const noProject = (projectId: string) =>
  badInput(`There is no project ${projectId}.`, { field: '--project' });

/** The project. @throws CliError where there is none */
export async function requireProject(db: VerbContext['db'], projectId: string) {
  const project = await getProject(db, projectId);
  if (project === null) throw noProject(projectId);
  return project;
}

/** @param key its id, or what was given instead */
export const noKey = (projectId: string, key: string) =>
  badInput(`Project ${projectId} has no key ${key}.`, { field: '--key' });
