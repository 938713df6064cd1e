import { type ApiKeyTrigger, TRANSITIONS } from '@ceiba/domain';
import {
  type ApiKeyRef,
  type ApiKeyRow,
  archiveApiKey,
  disableApiKey,
  enableApiKey,
  getApiKeyRow,
  revokeApiKey,
  type SetApiKeyDisabledResult,
  type TransitionResult,
  type VerbContext,
} from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { badInput } from '../../errors.ts';
import { noKey } from '../../not-found.ts';
import { uuid } from '../../options.ts';
import { confirm } from '../../prompt.ts';
import { printJson, printLines, type World } from '../../world.ts';

interface Change {
  name: 'disable' | 'enable' | 'revoke' | 'archive';
  description: string;
  run(ctx: VerbContext, ref: ApiKeyRef): Promise<TransitionResult | SetApiKeyDisabledResult>;
  /** Completes the sentence "Key … ". */
  done: string;
  unchanged: string;
  /** Set for a change that cannot be undone. */
  trigger?: Extract<ApiKeyTrigger, 'revoke' | 'archive'>;
}

const CHANGES: readonly Change[] = [
  {
    name: 'disable',
    description: 'deny an active key from the next decision on, until it is enabled',
    run: disableApiKey,
    done: 'is disabled: its next call is denied, until it is enabled',
    unchanged: 'is disabled already',
  },
  {
    name: 'enable',
    description: 'let a disabled key work again, from the next decision on',
    run: enableApiKey,
    done: 'is enabled',
    unchanged: 'is not disabled',
  },
  {
    name: 'revoke',
    description: 'deny a key for good, because it is no longer trusted; cannot be undone',
    run: revokeApiKey,
    done: 'is revoked: its next call is denied',
    unchanged: 'is revoked already',
    trigger: 'revoke',
  },
  {
    name: 'archive',
    description: 'deny a key for good, because it is no longer needed; cannot be undone',
    run: archiveApiKey,
    done: 'is archived: its next call is denied',
    unchanged: 'is archived already',
    trigger: 'archive',
  },
];

interface ChangeOptions {
  project: string;
  key: string;
  yes?: true;
  json?: true;
}

/** Adds `ceiba key disable`, `enable`, `revoke` and `archive`. */
export function changeStatusCommands(key: Command, world: World): void {
  for (const change of CHANGES) {
    const command = key
      .command(change.name)
      .description(change.description)
      .requiredOption('--project <id>', 'the project that the key belongs to', uuid)
      .requiredOption('--key <id>', 'the key (its id, not the key itself)', uuid);
    if (change.trigger !== undefined) command.option('--yes', `${change.name} without asking`);
    command
      .option('--json', 'print the key as JSON')
      .action((options: ChangeOptions) => changeKey(world, change, options));
  }
}

async function changeKey(world: World, change: Change, options: ChangeOptions): Promise<void> {
  const { project: projectId, key: apiKeyId, yes, json } = options;
  const ref = { projectId, apiKeyId };
  const { kind, key } = await withDatabase(world, async (ctx) => {
    const before = await getApiKeyRow(ctx.db, ref);
    if (before === null) throw noKey(projectId, apiKeyId);
    if (!yes && isFinal(change, before)) await requireConfirmation(world, change, before);
    const result = await change.run(ctx, ref);
    if (result.kind === 'conflict') throw conflict(change, before, result.status);
    const after = await getApiKeyRow(ctx.db, ref);
    if (result.kind === 'not_found' || after === null) throw noKey(projectId, apiKeyId);
    return { kind: result.kind, key: after };
  });
  if (json) {
    const { status, disabledAt, revokedAt, archivedAt } = key;
    return printJson(world, { projectId, apiKeyId, status, disabledAt, revokedAt, archivedAt });
  }
  const outcome =
    kind === 'updated' ? `${change.done}.` : `${change.unchanged}. Nothing was changed.`;
  printLines(world, [`Key ${named(key)} ${outcome}`]);
}

/** Whether the change would take effect and could not be undone. */
const isFinal = ({ trigger }: Change, { status }: ApiKeyRow): boolean =>
  trigger !== undefined && TRANSITIONS[trigger][status] === 'updated';

async function requireConfirmation(world: World, { name }: Change, key: ApiKeyRow) {
  const question = `${name === 'revoke' ? 'Revoke' : 'Archive'} key ${named(key)}? This cannot be undone.`;
  if (await confirm(world, question)) return;
  throw badInput(
    `Key ${named(key)} was not changed: to ${name} it cannot be undone. Confirm it, or add --yes.`,
    { code: 'not_confirmed', field: '--yes' },
  );
}

const conflict = ({ name }: Change, key: ApiKeyRow, status: string) =>
  badInput(`Key ${named(key)} is ${status}: only an active key can be ${name}d.`, {
    field: '--key',
  });

const named = ({ displayName, keyPrefix }: ApiKeyRow) => `${displayName} (${keyPrefix}…)`;
