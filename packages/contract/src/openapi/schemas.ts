import { z } from 'zod';
import * as requests from '../requests.ts';
import * as answers from '../wire.ts';

type Shapes = z.core.$ZodRegistry<{ id: string }>;

/** The described schemas of a module: `apiKeySummarySchema` is the shape `ApiKeySummary`. */
function shapesOf(module: Readonly<Record<string, unknown>>): Shapes {
  const shapes = z.registry<{ id: string }>();
  for (const [name, schema] of Object.entries(module)) {
    if (!(schema instanceof z.ZodType) || schema.description === undefined) continue;
    shapes.add(schema, { id: name.replace(/^./, (first) => first.toUpperCase()).slice(0, -6) });
  }
  return shapes;
}

const REQUESTS = shapesOf(requests);
const ANSWERS = shapesOf(answers);

const uri = (id: string) => `#/components/schemas/${id}`;

/** Refers to a shape by its name. */
export function ref(schema: z.ZodType): { $ref: string } {
  const named = ANSWERS.get(schema) ?? REQUESTS.get(schema);
  if (named === undefined) throw new Error('a schema without a description has no name');
  return { $ref: uri(named.id) };
}

/** Whether an answer may have fields that its shape does not name. */
export type Form = 'open' | 'closed';

/**
 * The named shapes as JSON Schema 2020-12, which OpenAPI 3.1 uses. They refer to each other. Shapes of
 * requests are closed where the Runtime refuses unknown fields; those of answers are open for clients,
 * and closed for tests of what the Runtime sends.
 */
export function componentSchemas(form: Form): Record<string, object> {
  const schemas = { ...schemasOf(REQUESTS, 'closed'), ...schemasOf(ANSWERS, form) };
  return Object.fromEntries(
    Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function schemasOf(shapes: Shapes, form: Form): Record<string, object> {
  const { schemas } = z.toJSONSchema(shapes, {
    uri,
    io: 'input',
    override: ({ jsonSchema }) => {
      simplify(jsonSchema);
      if (form === 'open') delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, $id: __, description, ...rest } = schema;
      return [name, { description, ...rest }];
    }),
  );
}

/** A parameter's schema, from the same zod schema that reads it. */
export function parameterSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => simplify(jsonSchema),
  });
  return rest;
}

/** Formats say more to a reader than the patterns and the bound that zod adds to them. */
export function simplify(schema: Record<string, unknown>): void {
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}
