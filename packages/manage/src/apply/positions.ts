import { type Document, isMap, isNode, isScalar, isSeq } from 'yaml';
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

function childOf(node: unknown, part: PropertyKey) {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
    if (pair === undefined) return undefined;
    return { node: pair.value, offset: startOf(pair.key) };
  }
  const item = isSeq(node) && typeof part === 'number' ? node.items[part] : undefined;
  return item === undefined ? undefined : { node: item, offset: startOf(item) };
}

const startOf = (node: unknown) => (isNode(node) ? node.range?.[0] : undefined);
