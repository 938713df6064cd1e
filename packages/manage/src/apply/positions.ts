import { type Document, isMap, isNode, isScalar, isSeq, type Pair, type YAMLMap } from 'yaml';
import { printable } from '../printable.ts';

/** For example `projects[0].policies[1].pathPattern`; `file` for the whole file. */
export function fieldName(path: readonly PropertyKey[]): string {
  const name = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${printable(String(part))}`))
    .join('');
  return name === '' ? 'file' : name.replace(/^\./, '');
}

/** The offset of a field, or of its nearest parent if the field is missing. */
export function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of path) {
    const found = childOf(node, part);
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return offset;
}

/** The fields of each map that was asked for: many problems may be in one. */
const fieldsOfMaps = new WeakMap<YAMLMap, Map<string, Pair>>();

function fieldsOf(map: YAMLMap): Map<string, Pair> {
  const fields =
    fieldsOfMaps.get(map) ??
    new Map(
      map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])),
    );
  fieldsOfMaps.set(map, fields);
  return fields;
}

function childOf(node: unknown, part: PropertyKey) {
  if (isMap(node)) {
    const pair = fieldsOf(node).get(String(part));
    if (pair === undefined) return undefined;
    return { node: pair.value, offset: startOf(pair.key) };
  }
  const item = isSeq(node) && typeof part === 'number' ? node.items[part] : undefined;
  return item === undefined ? undefined : { node: item, offset: startOf(item) };
}

const startOf = (node: unknown) => (isNode(node) ? node.range?.[0] : undefined);
