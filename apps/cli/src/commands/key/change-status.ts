import { type ApiKeyTrigger, TRANSITIONS } from '@ceiba/domain';
import { CHANGES_OF_KEYS, getApiKeyById, type ManagedApiKey, nameOfKey } from '@ceiba/manage';
import type { Command } from 'commander';
import { badInput } from '../../errors.ts';
import { described } from '../../flags.ts';
import { performing } from '../../operate.ts';
import { confirm } from '../../prompt.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type KeyOptions, ofKey } from './shared.ts';

interface Change {
  name: keyof typeof CHANGES_OF_KEYS;
  /** Completes the sentence "Key … ". */
  done: string;
  unchanged: string;
  /** Set for a change that cannot be undone. */
  trigger?: Extract<ApiKeyTrigger, 'revoke' | 'archive'>;
}

const CHANGES: readonly Change[] = [
  {
    name: 'disable',
    done: 'is disabled: its next call is denied, until it is enabled',
    unchanged: 'is disabled already',
  },
  {
    name: 'enable',
    done: 'is enabled',
    unchanged: 'is not disabled',
  },
  {
    name: 'revoke',
    done: 'is revoked: its next call is denied',
    unchanged: 'is revoked already',
    trigger: 'revoke',
  },
  {
    name: 'archive',
    done: 'is archived: its next call is denied',
    unchanged: 'is archived already',
    trigger: 'archive',
  },
];

interface ChangeOptions extends KeyOptions {
  yes?: true;
}

/** Adds `ceiba key disable`, `enable`, `revoke` and `archive`. */
export function changeStatusCommands(key: Command, world: World): void {
  for (const change of CHANGES) {
    const command = ofKey(
      key.command(change.name).description(described(CHANGES_OF_KEYS[change.name])),
    );
    if (change.trigger !== undefined) command.option('--yes', `${change.name} without asking`);
    command
      .option('--json', 'print the key as JSON')
      .action((options: ChangeOptions) => changeKey(world, change, options));
  }
}

async function changeKey(world: World, change: Change, options: ChangeOptions): Promise<void> {
  const { project: projectId, key: apiKeyId, yes, json } = options;
  const ref = { projectId, apiKeyId };
  const { changed, apiKey: key } = await performing(world, async (perform) => {
    if (!yes && change.trigger !== undefined) {
      const before = await perform(getApiKeyById, ref);
      if (isFinal(change.trigger, before)) await requireConfirmation(world, change, before);
    }
    return perform(CHANGES_OF_KEYS[change.name], ref);
  });
  if (json) {
    const { status, disabledAt, revokedAt, archivedAt } = key;
    return printJson(world, { projectId, apiKeyId, status, disabledAt, revokedAt, archivedAt });
  }
  const outcome = changed ? `${change.done}.` : `${change.unchanged}. Nothing was changed.`;
  printLines(world, [`Key ${nameOfKey(key)} ${outcome}`]);
}

/** Whether the change would take effect and could not be undone. */
const isFinal = (trigger: NonNullable<Change['trigger']>, { status }: ManagedApiKey): boolean =>
  TRANSITIONS[trigger][status] === 'updated';

async function requireConfirmation(world: World, { name }: Change, key: ManagedApiKey) {
  const question = `${name === 'revoke' ? 'Revoke' : 'Archive'} key ${nameOfKey(key)}? This cannot be undone.`;
  if (await confirm(world, question)) return;
  throw badInput(
    `Key ${nameOfKey(key)} was not changed: to ${name} it cannot be undone. Confirm it, or add --yes.`,
    { code: 'not_confirmed', field: '--yes' },
  );
}
