import { limitsIn, mintApiKey } from '@ceiba/domain';
import { createApiKey, getApiKeyRow, type VerbContext } from '@ceiba/schema';
import type { Command } from 'commander';
import { withDatabase } from '../../database.ts';
import { CliError, failure } from '../../errors.ts';
import { customerIdOf, noProject } from '../../not-found.ts';
import {
  addLimitOptions,
  displayName,
  instantOrNone,
  label,
  limitsOf,
  type OwnLimitOptions,
  orNull,
  uuid,
} from '../../options.ts';
import {
  addSecretOptions,
  printsSecrets,
  type SecretOptions,
  secretNotShown,
  withSecretFile,
} from '../../secret-output.ts';
import { printJson, printLines, type World } from '../../world.ts';

interface CreateOptions extends SecretOptions, OwnLimitOptions {
  project: string;
  name: string;
  expiresAt: Date | 'none';
  customer?: string;
  scope?: string[];
}

/** Adds `ceiba key create`. */
export function createKeyCommand(key: Command, world: World): void {
  const command = key
    .command('create')
    .description('create a key, which is shown only once')
    .requiredOption('--project <id>', 'the project that the key belongs to', uuid)
    .requiredOption('--name <text>', 'what the key is for, 1 to 100 characters', displayName)
    .option('--expires-at <time>', 'when it expires (RFC 3339), or none', instantOrNone, 'none');
  command
    .option('--customer <id>', 'the customer that it belongs to, by its id or its external id')
    .option(
      '--scope <label>',
      'a label of the policies that it may call; again for another',
      label,
    );
  addLimitOptions(command, { byDefault: 'none' }).option('--json', 'print the key as JSON');
  addSecretOptions(command).action((options: CreateOptions) => createKey(world, options));
}

const LOST_KEY =
  'It contained a new key, which is lost: revoke it with ceiba key revoke and create another one.';

async function createKey(world: World, options: CreateOptions): Promise<void> {
  const { json, secretFile } = options;
  const isShown = printsSecrets(world, options);
  if (!isShown && secretFile === undefined) throw secretNotShown('The new key');
  const { isExpired, ...created } = await withSecretFile(
    world,
    secretFile,
    () => withDatabase(world, (ctx) => create(ctx, world, options)),
    ({ isExpired: _, ...key }) => key,
  );
  if (isShown) world.onSecret(LOST_KEY);
  const plaintextKey = isShown ? created.plaintextKey : null;
  if (json) return printJson(world, { ...created, plaintextKey });
  printLines(world, [
    `Key ${created.displayName} (${created.apiKeyId}) is created${isExpired ? ', and has expired already: its calls are denied' : ''}.`,
    ...(isShown
      ? ['The key, shown only once (only its caller may have it):', `  ${plaintextKey}`]
      : [`The key itself is in ${secretFile}.`]),
  ]);
}

async function create(ctx: VerbContext, world: World, options: CreateOptions) {
  const { project: projectId, name, expiresAt, customer, scope: scopes } = options;
  const ofCustomer = customer === undefined ? {} : await customerIdOf(ctx.db, projectId, customer);
  const minted = mintApiKey(world.random);
  const result = await createApiKey(ctx, {
    projectId,
    displayName: name,
    minted,
    expiresAt: orNull(expiresAt),
    ...ofCustomer,
    scopes,
    ...limitsOf(options),
  });
  if (result.kind === 'plan_limit_reached') throw planLimitReached(result);
  if (result.kind !== 'created') throw noProject(projectId);
  const { apiKeyId, displayName: label, keyPrefix } = result;
  const row = await getApiKeyRow(ctx.db, { projectId, apiKeyId });
  if (row === null) throw failure('The project has just been deleted.');
  return {
    projectId,
    apiKeyId,
    displayName: label,
    keyPrefix,
    expiresAt: row.expiresAt,
    ...limitsIn(row),
    ...(row.customer && { customer: row.customer }),
    ...(row.scopes && { scopes: row.scopes }),
    plaintextKey: minted.plaintext,
    isExpired: row.isExpired,
  };
}

const planLimitReached = ({
  activeKeyCap,
  of,
}: {
  activeKeyCap: number;
  of: 'plan' | 'customer_plan';
}) =>
  new CliError(
    `The ${of === 'plan' ? 'plan' : "customer's plan"} allows ${activeKeyCap} active ${activeKeyCap === 1 ? 'key' : 'keys'}, and the ` +
      `${of === 'plan' ? 'project' : 'customer'} has no room for another. ` +
      'Revoke or archive one (ceiba key list shows them), or change the plan.',
    1,
    'plan_limit_reached',
  );
