import 'server-only';
import { type ApiKeyRow, type Database, getApiKeyRow, searchApiKeys } from '@ceiba/schema';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import type { KeyChoice } from './_components/key-choice.ts';

const LISTED = 10;

export interface KeyChoices {
  /** The newest keys. */
  choices: KeyChoice[];
  /** The key in the URL, else the newest; null if there is none, or without a key. */
  chosen: KeyChoice | null;
}

/** The keys that the simulator offers before anything is typed. */
export async function readKeyChoices(
  db: Database,
  projectId: string,
  asked: string,
): Promise<KeyChoices> {
  const choices = await findKeyChoices(db, projectId, '');
  if (asked === 'none') return { choices, chosen: null };
  const apiKey = z.guid().safeParse(asked).success
    ? await getApiKeyRow(db, { projectId, apiKeyId: asked })
    : null;
  return { choices, chosen: apiKey === null ? (choices[0] ?? null) : choiceOf(apiKey) };
}

/** The newest keys with a text in their name, at the start of the key, or as their ID. */
export async function findKeyChoices(
  db: Database,
  projectId: string,
  text: string,
): Promise<KeyChoice[]> {
  const { items } = await searchApiKeys(db, { projectId, text, limit: LISTED });
  return items.map(choiceOf);
}

function choiceOf({ apiKeyId, displayName, keyPrefix, ...row }: ApiKeyRow): KeyChoice {
  const status = row.status === 'active' && row.disabledAt !== null ? 'disabled' : row.status;
  const state = status === 'active' ? '' : `, ${status}`;
  return { apiKeyId, label: `${legible(displayName)} (${keyPrefix}…${state})` };
}
