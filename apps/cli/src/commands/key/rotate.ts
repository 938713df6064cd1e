import {
  endPreviousSecret,
  getApiKeyById,
  type ManagedApiKey,
  nameOfKey,
  rotateKey,
} from '@ceiba/manage';
import type { Command } from 'commander';
import type { z } from 'zod';
import { badInput } from '../../errors.ts';
import { described } from '../../flags.ts';
import { type Perform, perform, performing } from '../../operate.ts';
import { overlap } from '../../options.ts';
import { confirm } from '../../prompt.ts';
import {
  addSecretOptions,
  createSecret,
  KEY_SECRET,
  type SecretOptions,
} from '../../secret-output.ts';
import { printJson, printLines, type World } from '../../world.ts';
import { type KeyOptions, ofKey } from './shared.ts';

interface RotateOptions extends SecretOptions, KeyOptions {
  overlap: number;
  prefix?: string;
  yes?: true;
}

/** Adds `ceiba key rotate` and `end-previous-secret`. */
export function rotateKeyCommands(key: Command, world: World): void {
  const rotate = ofKey(
    key
      .command('rotate')
      .description('replace the secret of a key, which keeps its id, limits, customer and history'),
  )
    .requiredOption(
      '--overlap <time>',
      'how long the replaced secret stays valid: 0, 30m, 24h, up to 30d',
      overlap,
    )
    .option('--prefix <text>', 'what the secret to replace begins with; the present one without it')
    .option('--yes', 'end a secret that is still within its overlap without asking')
    .option('--json', 'print the key as JSON');
  addSecretOptions(rotate).action((options: RotateOptions) => rotateSecret(world, options));
  ofKey(key.command('end-previous-secret').description(described(endPreviousSecret)))
    .option('--prefix <text>', 'what the secret to end begins with; the replaced one without it')
    .option('--json', 'print the key as JSON')
    .action((options: EndOptions) => endPrevious(world, options));
}

const rotateSecret = (world: World, options: RotateOptions): Promise<void> =>
  createSecret(world, options, {
    ...KEY_SECRET,
    create: () => performing(world, (run) => rotate(run, world, options)),
    forPrograms: (key) => ({ projectId: options.project, ...key }),
    remedy: 'the new secret of the key is lost: rotate the key again with ceiba key rotate.',
    lines: (key, secret) => [
      `Key ${nameOfKey(key)} has a new secret; ${replaced(key)}.`,
      ...secret,
    ],
  });

const replaced = ({ previous }: z.input<typeof rotateKey.output>) =>
  previous === null
    ? 'the replaced one is denied from the next call on'
    : `the replaced one (${previous.keyPrefix}…) is valid until ${previous.validUntil}`;

async function rotate(run: Perform, world: World, options: RotateOptions) {
  const { project: projectId, key: apiKeyId, overlap: overlapSeconds, prefix, yes } = options;
  const key = await run(getApiKeyById, { projectId, apiKeyId });
  if (key.previous !== undefined && !yes) await requireConfirmation(world, key);
  const confirmed = key.previous !== undefined || yes === true;
  return run(rotateKey, {
    projectId,
    apiKeyId,
    keyPrefix: prefix ?? key.keyPrefix,
    overlapSeconds,
    ...(confirmed && { confirm: true }),
  });
}

async function requireConfirmation(world: World, key: ManagedApiKey): Promise<void> {
  const { keyPrefix, validUntil, lastUsedAt } = key.previous ?? {};
  const used = lastUsedAt == null ? 'has not been used since' : `was last used at ${lastUsedAt}`;
  const question = `The secret ${keyPrefix}… of ${nameOfKey(key)} is valid until ${validUntil} and ${used}. End it now?`;
  if (await confirm(world, question)) return;
  throw badInput(
    `Key ${nameOfKey(key)} was not changed: the secret of its last rotation is valid until ${validUntil}. Confirm that it ends, or add --yes.`,
    { code: 'not_confirmed', field: '--yes' },
  );
}

interface EndOptions extends KeyOptions {
  prefix?: string;
}

async function endPrevious(world: World, { project, key: apiKeyId, prefix, json }: EndOptions) {
  const ref = { projectId: project, apiKeyId };
  const asked = { ...ref, keyPrefix: prefix };
  const { changed, apiKey } = await perform(world, endPreviousSecret, asked);
  if (json) return printJson(world, { ...ref, changed, keyPrefix: apiKey.keyPrefix });
  printLines(world, [
    changed
      ? `The replaced secret of key ${nameOfKey(apiKey)} is denied from its next call on.`
      : `Key ${nameOfKey(apiKey)} has no replaced secret. Nothing was changed.`,
  ]);
}
