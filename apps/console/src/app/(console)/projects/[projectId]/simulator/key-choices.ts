import 'server-only';
import { type ApiKeyRow, type Database, getApiKeyRow, searchApiKeys } from '@ceiba/schema';
import { z } from 'zod';
import type { Choice } from '#components/combobox.tsx';
import { legible } from '#lib/text.ts';
import { stateOf, stateText } from '../keys/key-state.ts';

const LISTED = 10;

/** Where the key of a simulated call is from: a pasted one is never in a URL. */
export type KeySource = 'chosen' | 'pasted' | 'none';

export interface KeyChoices {
  /** The newest keys, those that are active in the first places. */
  choices: Choice[];
  source: KeySource;
  /** The key in the URL, else the first choice; null if there is none, or it is not from there. */
  chosen: Choice | null;
  /** The URL names a key that does not exist. */
  isGone: boolean;
}

/** The keys that the simulator offers before anything is typed. */
export async function readKeyChoices(
  db: Database,
  projectId: string,
  asked: string,
): Promise<KeyChoices> {
  const choices = await newestKeys(db, projectId);
  if (asked === 'none' || asked === 'pasted') {
    return { choices, source: asked, chosen: null, isGone: false };
  }
  const source = choices.length === 0 ? 'none' : 'chosen';
  if (asked === '') return { choices, source, chosen: choices[0] ?? null, isGone: false };
  const apiKey = z.guid().safeParse(asked).success
    ? await getApiKeyRow(db, { projectId, apiKeyId: asked })
    : null;
  return { choices, source, chosen: apiKey && choiceOf(apiKey), isGone: apiKey === null };
}

/** A key that denies every call, whatever the path, would hide what the simulation is for. */
async function newestKeys(db: Database, projectId: string): Promise<Choice[]> {
  const page = { projectId, limit: LISTED };
  const [{ items: live }, { items: all }] = await Promise.all([
    searchApiKeys(db, { ...page, status: 'active' }),
    searchApiKeys(db, page),
  ]);
  const rows = [...new Map([...live, ...all].map((row) => [row.apiKeyId, row])).values()];
  const isUsable = (row: ApiKeyRow) => stateOf(row) === 'active';
  return [...rows.filter(isUsable), ...rows.filter((row) => !isUsable(row))]
    .slice(0, LISTED)
    .map(choiceOf);
}

/** The newest keys with a text in their name, at the start of the key, or as their ID. */
export async function findKeyChoices(
  db: Database,
  projectId: string,
  text: string,
): Promise<Choice[]> {
  const { items } = await searchApiKeys(db, { projectId, text, limit: LISTED });
  return items.map(choiceOf);
}

function choiceOf(row: ApiKeyRow): Choice {
  const { apiKeyId, displayName, keyPrefix } = row;
  const state = stateOf(row);
  const words = state === 'active' ? '' : `, ${stateText(state)}`;
  return { id: apiKeyId, label: `${legible(displayName)} (${keyPrefix}…${words})` };
}
