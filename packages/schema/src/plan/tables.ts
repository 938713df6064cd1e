import { eachLimit, listLimits } from '@ceiba/domain';
import { check, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt, id, notNegative } from '../columns.ts';

export const plans = pgTable(
  'plans',
  {
    id: id(),
    name: text('name').notNull().unique('plans_name_key'),
    activeKeyCap: integer('active_key_cap').notNull(),
    ...eachLimit((_, { column }) => integer(column).notNull()),
    createdAt: createdAt(),
  },
  (table) => [
    check('plans_active_key_cap_check', notNegative(table.activeKeyCap)),
    ...listLimits((limit, { column }) => check(`plans_${column}_check`, notNegative(table[limit]))),
  ],
);
