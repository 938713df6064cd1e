import type { AuditFilter, AuditRow } from '@ceiba/schema';
import { type AuditedKind, ENTITIES, entityOf } from '../../lib/entities.ts';
import type { Viewer } from '../../lib/entity.ts';
import { AUDITED } from './audited.ts';

/** The verb of an action; an unknown action, from a newer version, is shown by its name. */
export function auditWords(action: string): string {
  return WORDS.get(action) ?? action;
}

/** As {@link auditWords}, on the page of the item that it was done to: `revoked this key`. */
export const auditWordsHere = (action: string): string =>
  auditWords(action).replace(/ (?=\w+$)/, ' this ');

const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries(AUDITED).flatMap(([kind, { verbs }]) =>
    Object.entries<string>(verbs).map(([verb, words]) => [`${kind}.${verb}`, words] as const),
  ),
);

/** The types of the filter; each value is the first part of its actions, which change one `of` these. */
export const AUDIT_KINDS = (Object.keys(AUDITED) as AuditedKind[]).map((value) => ({
  value,
  name: ENTITIES[value].name,
  of: AUDITED[value].of,
}));

/** The types that can occur in a log. */
export function kindsIn({ projectId }: Pick<AuditFilter, 'projectId'>) {
  if (projectId === undefined) return AUDIT_KINDS.filter((kind) => kind.of !== 'installation');
  return AUDIT_KINDS.filter(({ of }) => (of === 'project') === (projectId !== null));
}

/** A link to what a change was about; null if it was deleted or the viewer has no page for it. */
export function targetLink(
  { target, projectId }: Pick<AuditRow, 'target' | 'projectId'>,
  viewer: Viewer,
) {
  const opens = target.exists ? entityOf(target.kind)?.opens : undefined;
  const href = opens?.href({ ...target, projectId }, viewer);
  return opens && href ? { href, word: opens.word } : null;
}

export interface FieldChange {
  field: string;
  /** `before` is absent if the change added the field, `after` if it removed it. */
  before?: unknown;
  after?: unknown;
}

/** The fields that differ between before and after, in their original order. */
export function fieldChanges(before: unknown, after: unknown): FieldChange[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])];
  return fields.flatMap((field) =>
    JSON.stringify(old[field]) === JSON.stringify(now[field])
      ? []
      : [
          {
            field,
            ...(field in old && { before: old[field] }),
            ...(field in now && { after: now[field] }),
          },
        ],
  );
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

/** `monthlyQuota` as `monthly quota`. */
export const fieldWords = (field: string): string =>
  field.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
