import 'server-only';
import { type Database, getApiKey, searchApiKeys } from '@ceiba/schema';
import { z } from 'zod';
import { legible } from '#lib/text.ts';
import type { KeyChoice } from './_components/simulator.tsx';

const LISTED = 100;

export interface KeyChoices {
  choices: KeyChoice[];
  /** The number of keys that are not in `choices`. */
  unlisted: number;
  /** The key in the URL, else the newest; null if there is none. */
  chosen: string | null;
}

/** The newest keys of a project, and the key in the URL even if it is older. */
export async function readKeyChoices(
  db: Database,
  projectId: string,
  asked: string,
): Promise<KeyChoices> {
  const { items: keys, total } = await searchApiKeys(db, { projectId, limit: LISTED });
  const choices = keys.map(choiceOf);
  if (z.guid().safeParse(asked).success && !keys.some(({ apiKeyId }) => apiKeyId === asked)) {
    const apiKey = await getApiKey(db, { projectId, apiKeyId: asked });
    if (apiKey !== null) choices.unshift(choiceOf(apiKey));
  }
  const wanted = choices.find(({ apiKeyId }) => apiKeyId === asked) ?? choices[0];
  return {
    choices,
    unlisted: Math.max(0, total - keys.length),
    chosen: asked === 'none' ? null : (wanted?.apiKeyId ?? null),
  };
}

function choiceOf(apiKey: {
  apiKeyId: string;
  displayName: string;
  keyPrefix: string;
  status: string;
}): KeyChoice {
  const { apiKeyId, displayName, keyPrefix, status } = apiKey;
  const state = status === 'active' ? '' : `, ${status}`;
  return { apiKeyId, label: `${legible(displayName)} (${keyPrefix}…${state})` };
}
