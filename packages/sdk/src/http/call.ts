import type { CallOptions } from '../types.ts';
import type { Exchange } from './transport.ts';

/** A page has at most 500 items, each with at most 4 KiB of metadata; an import has 1,000 results. */
export const PAGE_BYTES_MAX = 8 * 1024 * 1024;

/** Calls a route below the address of the project. @throws {RuntimeTransportError} */
export type Call = <T>(
  method: Exchange['method'],
  path: string,
  body: object | undefined,
  parse: (body: unknown) => T | undefined,
  options?: CallOptions,
  of?: { readonly maxResponseBytes?: number; readonly headers?: Readonly<Record<string, string>> },
) => Promise<T>;

/**
 * An id as a segment of a path. An empty one or a dot segment would address another route.
 *
 * @throws {TypeError} for such an id
 */
export function segmentOf(id: string, name: string): string {
  if (id === '' || id === '.' || id === '..') throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(id);
}

/** The query of an address, with a `?`; empty where nothing is asked for. */
export function queryOf(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}
