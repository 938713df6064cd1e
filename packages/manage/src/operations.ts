import type { Operation } from './operation.ts';
import { importKeys } from './operations/api-key-import.ts';
import { endPreviousSecret, rotateKey } from './operations/api-key-secrets.ts';
import {
  CHANGES_OF_KEYS,
  createKey,
  getApiKeyById,
  listApiKeys,
  setKeyLimits,
} from './operations/api-keys.ts';
import {
  CHANGES_OF_CUSTOMERS,
  createCustomerOnce,
  getCustomerByName,
  importCustomers,
  listCustomers,
  readCustomerUsage,
  updateCustomer,
} from './operations/customers.ts';
import { listDecisionGaps, listDecisions } from './operations/decisions.ts';
import { apply, exportFile } from './operations/files.ts';
import {
  endSecret,
  listProjects,
  rotateSecret,
  setProjectSubscription,
} from './operations/projects.ts';
import { readUsage } from './operations/usage.ts';

/** Every operation: the console serves them, and the command line runs them. */
export const OPERATIONS = [
  apply,
  exportFile,
  listProjects,
  setProjectSubscription,
  rotateSecret,
  endSecret,
  listApiKeys,
  createKey,
  getApiKeyById,
  setKeyLimits,
  ...Object.values(CHANGES_OF_KEYS),
  rotateKey,
  endPreviousSecret,
  importKeys,
  listCustomers,
  createCustomerOnce,
  importCustomers,
  getCustomerByName,
  updateCustomer,
  ...Object.values(CHANGES_OF_CUSTOMERS),
  readCustomerUsage,
  readUsage,
  listDecisions,
  listDecisionGaps,
] as const satisfies readonly Operation[];
