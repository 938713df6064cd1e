import { z } from 'zod';
import { fileSchema } from './schema.ts';

/**
 * The JSON Schema of a Ceiba file, for editors. It cannot say that names and policies are unique, that
 * a plan exists, and a few rules of times and paths: `apply` checks all of them.
 */
export const ceibaFileJsonSchema = () => ({
  ...z.toJSONSchema(fileSchema, { io: 'input' }),
  title: 'ceiba.yaml',
  description: 'Owners, plans, projects and policies for: ceiba apply -f ceiba.yaml',
  anyOf: [{ required: ['owner'] }, { properties: { projects: { maxItems: 0 } } }],
});
