import { z } from 'zod';
import { applyFile } from '../apply/apply.ts';
import { change, changesOf } from '../apply/changes.ts';
import { readCeibaFile } from '../apply/read.ts';
import { reportOf } from '../apply/report.ts';
import type { CeibaFileText } from '../apply/schema.ts';
import { readInstallation } from '../export/installation.ts';
import { requireApplicable, yamlOf } from '../export/yaml.ts';
import { digit, flag, projectId } from '../fields.ts';
import { operation } from '../operation.ts';

export const newProject = z.strictObject({
  name: z.string(),
  projectId: projectId.describe(
    'The project, by its id. In a dry run, a new project has none that lasts.',
  ),
  projectSecret: z.string().nullable().describe('Only in the answer that created the project.'),
});

/** Policies as code. */
export const apply = operation({
  name: 'apply',
  summary: 'Apply plans, projects and policies from a file; safe to repeat',
  method: 'POST',
  path: '/apply',
  access: 'write',
  isLong: true,
  text: 'file',
  input: z.strictObject({
    file: z.string().describe('A ceiba.yaml, as YAML or JSON.'),
    name: z.string().max(4_096).default('The file').describe('What errors call the file.'),
    dryRun: flag.describe('Return what would change, and change nothing.'),
    prune: z
      .union(
        [digit, z.string().regex(/^[0-9a-f]{64}$/)],
        'must be 0, 1 or the `removalsDigest` of a refusal',
      )
      .default(false)
      .describe(
        'Remove the policies and customer plans that are not in the file: 1 for all, or the `removalsDigest` of a refusal for those that it names.',
      ),
    createProjects: digit
      .default(true)
      .describe('0 refuses a file with a new project, whose secret only the answer has.'),
  }),
  output: z.strictObject({
    report: z.array(z.string()).describe('One line for each part of the file.'),
    projects: z.array(newProject),
    changes: z.array(change).describe('In the file’s order; empty if all is as the file says.'),
  }),
  run: async (call, { file, name, dryRun, prune, createProjects }) => {
    const applied = await applyFile(call, readCeibaFile(name, file), {
      isDryRun: dryRun,
      prune,
      canShowSecrets: createProjects,
    });
    return {
      report: reportOf(applied),
      projects: applied.projects.map(({ entry, projectId, projectSecret }) => ({
        name: entry.name,
        projectId,
        projectSecret: dryRun ? null : projectSecret,
      })),
      changes: changesOf(applied),
    };
  },
});

/** An installation as a file that {@link apply} accepts. */
export const exportFile = operation({
  name: 'export',
  summary: 'Read projects, plans and policies as a file for apply, without any secret',
  method: 'GET',
  path: '/export',
  access: 'read',
  isLong: true,
  input: z.strictObject({
    projectId: projectId.optional().describe('Only this project.'),
    owner: z.string().optional().describe('Only the projects of this owner, by the address.'),
  }),
  // Not by its rules, so that who reads it may be of an earlier version.
  output: z.custom<CeibaFileText>(isObject).meta({ description: 'A ceiba.yaml as JSON.' }),
  run: async (call, choice) => {
    const file = await readInstallation(call, choice);
    requireApplicable(yamlOf(file));
    return file;
  },
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
