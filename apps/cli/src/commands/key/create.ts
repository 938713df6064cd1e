import { createKey as createKeyOperation, getCustomerByName } from '@ceiba/manage';
import type { Command } from 'commander';
import { type Perform, performing } from '../../operate.ts';
import {
  addLimitOptions,
  displayName,
  instantOrNone,
  label,
  limitsOf,
  type OwnLimitOptions,
  textOf,
  uuid,
} from '../../options.ts';
import {
  addSecretOptions,
  createSecret,
  KEY_SECRET,
  type SecretOptions,
} from '../../secret-output.ts';
import type { World } from '../../world.ts';

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

const createKey = (world: World, options: CreateOptions): Promise<void> =>
  createSecret(world, options, {
    ...KEY_SECRET,
    create: () => performing(world, (perform) => create(perform, options)),
    forPrograms: ({ isExpired: _, ...key }) => key,
    remedy: 'the new key is lost: revoke it with ceiba key revoke and create another one.',
    lines: ({ displayName, apiKeyId, isExpired }, secret) => [
      `Key ${displayName} (${apiKeyId}) is created${isExpired ? ', and has expired already: its calls are denied' : ''}.`,
      ...secret,
    ],
  });

async function create(perform: Perform, options: CreateOptions) {
  const { project: projectId, name, expiresAt, customer, scope: scopes } = options;
  return perform(createKeyOperation, {
    projectId,
    displayName: name,
    expiresAt: textOf(expiresAt),
    customerId: customer && (await customerIdOf(perform, projectId, customer)),
    scopes,
    ...limitsOf(options),
  });
}

async function customerIdOf(perform: Perform, projectId: string, customer: string) {
  return (await perform(getCustomerByName, { projectId, customer })).customerId;
}
