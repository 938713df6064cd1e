import { badInput } from './errors.ts';

export const noProject = (projectId: string) =>
  badInput(`There is no project ${projectId}.`, { field: '--project' });

/** @param key its id, or what was given instead */
export const noKey = (projectId: string, key: string) =>
  badInput(`Project ${projectId} has no key ${key}.`, { field: '--key' });
