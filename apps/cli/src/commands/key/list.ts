import { PAGE_MAX } from '@ceiba/contract';
import { API_KEY_STATUSES, type ApiKeyStatus } from '@ceiba/contract/sets';
import { everyItem, listApiKeys, type ManagedApiKey } from '@ceiba/manage';
import { type Command, Option } from 'commander';
import { described } from '../../flags.ts';
import { performing } from '../../operate.ts';
import { uuid } from '../../options.ts';
import { table } from '../../table.ts';
import { printJson, printLines, type World } from '../../world.ts';

interface ListOptions {
  project: string;
  status?: ApiKeyStatus;
  json?: true;
}

/** Adds `ceiba key list`. */
export function listKeysCommand(key: Command, world: World): void {
  key
    .command('list')
    .description(described(listApiKeys))
    .requiredOption('--project <id>', 'the project', uuid)
    .addOption(new Option('--status <status>', 'of this status').choices(API_KEY_STATUSES))
    .option('--json', 'print the keys as JSON')
    .action((options: ListOptions) => list(world, options));
}

async function list(world: World, { project: projectId, status, json }: ListOptions) {
  const keys = await performing(world, (perform) =>
    everyItem(async (cursor) => {
      const input = { projectId, status, cursor, limit: PAGE_MAX };
      const { apiKeys, nextCursor } = await perform(listApiKeys, input);
      return { items: apiKeys, nextCursor };
    }),
  );
  if (json) return printJson(world, { apiKeys: keys.map(forPrograms) });
  if (keys.length === 0) {
    const which = status === undefined ? 'no key yet' : `no key that is ${status}`;
    return printLines(world, [`The project has ${which}.`]);
  }
  printLines(world, table(HEADS, keys.map(cellsOf)));
}

const forPrograms = ({ isExpired: _, ...key }: ManagedApiKey) => key;

const HEADS = ['id', 'begins with', 'status', 'expires', 'last used', 'customer', 'name'];

const cellsOf = (key: ManagedApiKey) => [
  key.apiKeyId,
  `${key.keyPrefix}…`,
  stateOf(key),
  key.expiresAt ?? 'never',
  key.lastUsedAt ?? 'never',
  key.customer?.externalId ?? 'none',
  key.displayName,
];

/** An expired or disabled key is still active in the contract's words, and denied all the same. */
function stateOf({ status, disabledAt, isExpired }: ManagedApiKey): string {
  if (status !== 'active') return status;
  if (isExpired) return 'expired';
  return disabledAt === null ? 'active' : 'disabled';
}
