import { type Labels, opens } from '@ceiba/domain/labels';

/** The labels that a user typed, with spaces or commas between them. */
export const labelsIn = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The text of a field that `labelsIn` reads. */
export const labelText = (labels: Labels): string => labels?.join(' ') ?? '';

/** How many policies carry the same labels: what a preview of scopes needs of any number of policies. */
export interface LabelSet {
  labels: readonly string[];
  policies: number;
}

/** Policies by their labels. */
export function labelSetsOf(policies: readonly { scopes: Labels }[]): LabelSet[] {
  const sets = new Map<string, LabelSet>();
  for (const { scopes } of policies) {
    const labels = scopes ?? [];
    const name = labels.join();
    sets.set(name, { labels, policies: (sets.get(name)?.policies ?? 0) + 1 });
  }
  return [...sets.values()];
}

/** Every label that a policy carries, in order. */
export const labelsOfSets = (sets: readonly LabelSet[]): string[] =>
  [...new Set(sets.flatMap(({ labels }) => labels))].sort();

/** How many of all policies every one of some lists of labels opens. */
export function countOpen(sets: readonly LabelSet[], ...lists: readonly Labels[]) {
  const open = sets.filter((set) => lists.every((list) => opens(list, { scopes: set.labels })));
  const count = (some: readonly LabelSet[]) =>
    some.reduce((total, { policies }) => total + policies, 0);
  return { open: count(open), all: count(sets) };
}

/** `May call 7 of 12 policies`. */
export const mayCall = ({ open, all }: { open: number; all: number }): string =>
  `May call ${open.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} ${all === 1 ? 'policy' : 'policies'}`;

/** Follows {@link mayCall} where the plan of a key's customer has scopes as well. */
export const WITH_PLAN = ', with the plan of its customer';

/** Follows {@link mayCall} where it is not known which scopes that plan has. */
export const IF_PLAN_OPENS = ', as far as the plan of its customer opens them';
