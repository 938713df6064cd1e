import { customers } from '../tables.ts';

/** The columns of the index `customers_words_idx`. */
export const NAMES = [customers.externalId, customers.name];
