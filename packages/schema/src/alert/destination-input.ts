import { emailSchema } from '@ceiba/contract';
import type { AlertDestinationKind, AlertType } from '@ceiba/domain';
import { z } from 'zod';
import { checked } from '../input.ts';

/** What a user writes of a destination. */
export interface DestinationInput {
  /** A URL or a mail address. */
  address: string;
  /** What users call it; may be empty. */
  description: string;
  eventTypes: readonly AlertType[];
  /** What is wrong with the URL of a webhook, or null: which networks may it be in? */
  problemOfUrl: (url: string) => string | null;
  /** No mail can ask an address whether it wants alerts. */
  isMailOff?: boolean;
}

/** The input as it is stored. @throws InvalidInputError with every field that breaks its rule */
export function parsedDestination(
  kind: AlertDestinationKind,
  {
    address: given,
    description,
    eventTypes,
    problemOfUrl,
  }: Omit<DestinationInput, 'eventTypes'> & { eventTypes: readonly string[] },
) {
  const webhookUrl = z
    .string()
    .trim()
    .superRefine((text, issues) => {
      const problem = problemOfUrl(text);
      if (problem !== null) issues.addIssue(problem);
    })
    .transform((text) => new URL(text).href);
  const address = kind === 'webhook' ? webhookUrl : emailSchema;
  const input = { address: given, description, eventTypes };
  return checked(input, ['description', 'eventTypes'], { address });
}
