import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { invalidField, invalidRequest, unknownField } from '../errors.ts';

/** The query of a route that has none. */
export const NO_QUERY = z.strictObject({});

/**
 * The query of an address, in the shape that its route declares. An empty parameter that the shape names
 * counts as absent.
 *
 * @throws TransportError `invalid_request` that names a parameter that is wrong, unknown or given twice
 */
export function parseQuery<Query extends z.ZodObject>(
  shape: Query,
  { url = '' }: Pick<IncomingMessage, 'url'>,
): z.output<Query> {
  const query = [...new URLSearchParams(/\?(.*)$/s.exec(url)?.[1])];
  const given = query.filter(([name, value]) => value !== '' || !Object.hasOwn(shape.shape, name));
  const absent = query.map(([name]): [string, undefined] => [name, undefined]);
  // Zod leaves it out of a shape that takes further names, instead of refusing it.
  if (query.some(([name]) => name === '__proto__')) throw unknownField('__proto__');
  const result = shape.safeParse(Object.fromEntries([...absent, ...given]));
  if (!result.success) throw invalidField(result.error);
  const names = query.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw invalidRequest(`"${twice}" must not be given twice.`);
  return result.data;
}
