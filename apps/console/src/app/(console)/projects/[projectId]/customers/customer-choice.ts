import type { CustomerName } from '@ceiba/schema';
import type { Choice } from '#components/combobox.tsx';
import { legible } from '#lib/text.ts';

/** A customer by its external ID, which says also of a new one who it is. */
export const choiceOf = ({ externalId, name }: CustomerName): Choice => ({
  id: externalId,
  label: name === '' ? legible(externalId) : `${legible(name)} (${legible(externalId)})`,
});

export const newCustomerChoice = (externalId: string): Choice => ({
  id: externalId,
  label: `New customer “${legible(externalId)}”`,
});
