'use server';

import { randomBytes } from 'node:crypto';
import { signingSecretText } from '@ceiba/alerts/sign';
import { problemOfUrl } from '@ceiba/alerts/webhook-url';
import { ALERT_DESTINATIONS_MAX, ALERT_TYPES, type AlertType } from '@ceiba/domain';
import {
  createAlertDestination,
  deleteAlertDestination,
  disableAlertDestination,
  enableAlertDestination,
  getAlertDestination,
  rotateSigningSecret,
  type SendAlertResult,
  sendAlertAgain,
  sendConfirmation,
  sendTestAlert,
  updateAlertDestination,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { tooManyAttempts } from '#lib/action-state.ts';
import { emailSchema } from '#lib/email-schema.ts';
import {
  type ProjectContext,
  projectAction,
  refuse,
  refuseField,
  refuseProjectGone,
} from '#server/action.ts';
import { configuredMailer } from '#server/mail.ts';
import { env } from '../../../../../env.ts';

/** Shown once: the secret is in this answer, and pages never read it. */
export interface NewSigningSecret {
  secret: string;
  isRotation: boolean;
}

const TYPES = Object.keys(ALERT_TYPES) as AlertType[];
const isChosen = Object.fromEntries(TYPES.map((type) => [type, z.literal('yes').optional()]));
const settings = z.object({
  description: z.string().trim().max(100, 'must have at most 100 characters').default(''),
  address: z.string().trim(),
  ...isChosen,
});
type SettingsInput = z.output<typeof settings>;

/** The types that are ticked; at least one. */
function chosenTypes(input: Record<string, unknown>): AlertType[] {
  const chosen = TYPES.filter((type) => input[type] === 'yes');
  if (chosen.length === 0) refuseField('eventTypes', 'Choose at least one alert.');
  return chosen;
}

function webhookUrl(text: string): string {
  const problem = problemOfUrl(text, env().webhookNetworks);
  if (problem !== null) refuseField('address', problem);
  return new URL(text).href;
}

function mailAddress(text: string): string {
  const parsed = emailSchema.safeParse(text);
  if (!parsed.success) refuseField('address', 'Must be an e-mail address.');
  return parsed.data;
}

/** 192 bits, as the specification of Standard Webhooks recommends. */
const mintSigningSecret = () => randomBytes(24);

/** Adds a webhook and returns its signing secret. */
export const addWebhook = projectAction({
  right: 'change_alerts',
  showsOnce: true,
  input: settings,
  async run({ ctx, project }, input): Promise<NewSigningSecret> {
    const signingSecret = mintSigningSecret();
    const address = webhookUrl(input.address);
    await create(ctx, project.projectId, input, { kind: 'webhook', address, signingSecret });
    return { secret: signingSecretText(signingSecret), isRotation: false };
  },
});

/** Adds a mail address, and asks it whether it wants the alerts. */
export const addMailAddress = projectAction({
  right: 'change_alerts',
  input: settings,
  async run({ ctx, project }, input): Promise<null> {
    if (configuredMailer() === undefined) refuse('conflict', MAIL_IS_OFF);
    const address = mailAddress(input.address);
    await create(ctx, project.projectId, input, { kind: 'mail', address, signingSecret: null });
    return null;
  },
});

async function create(
  ctx: ProjectContext['ctx'],
  projectId: string,
  input: SettingsInput,
  to: { kind: 'webhook' | 'mail'; address: string; signingSecret: Buffer | null },
): Promise<void> {
  const result = await createAlertDestination(ctx, {
    projectId,
    description: input.description,
    eventTypes: chosenTypes(input),
    ...to,
  });
  if (result.kind === 'not_found') refuseProjectGone();
  if (result.kind === 'too_many') {
    const text = `A project has at most ${ALERT_DESTINATIONS_MAX} destinations. Delete one first.`;
    refuse('limit_reached', text);
  }
  refuseUnasked(result);
}

/** Refuses a mail address that may not be asked, or not now. */
function refuseUnasked(result: { kind: string } | { kind: 'limited'; retryAfterSeconds: number }) {
  if (result.kind === 'unsubscribed') refuseField('address', UNSUBSCRIBED);
  if ('retryAfterSeconds' in result)
    refuse('rate_limited', tooManyAttempts(result.retryAfterSeconds));
}

const ref = { destinationId: z.guid() };

/** Changes the address, the description and the alerts of a destination. */
export const changeDestination = projectAction({
  right: 'change_alerts',
  input: settings.extend(ref),
  async run({ ctx, project }, { destinationId, ...input }): Promise<null> {
    const { projectId } = project;
    const found = await getAlertDestination(ctx.db, { projectId, destinationId });
    if (found === null) refuse('not_found', GONE, { keepsPage: true });
    const address =
      found.kind === 'webhook' ? webhookUrl(input.address) : mailAddress(input.address);
    const result = await updateAlertDestination(ctx, {
      projectId,
      destinationId,
      address,
      description: input.description,
      eventTypes: chosenTypes(input),
    });
    if (result.kind === 'not_found') refuse('not_found', GONE, { keepsPage: true });
    refuseUnasked(result);
    return null;
  },
});

/** Replaces the signing secret and returns the new one. */
export const rotateSigning = projectAction({
  right: 'change_alerts',
  showsOnce: true,
  input: z.object(ref),
  async run({ ctx, project }, { destinationId }): Promise<NewSigningSecret> {
    const signingSecret = mintSigningSecret();
    const { projectId } = project;
    const result = await rotateSigningSecret(ctx, { projectId, destinationId, signingSecret });
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return { secret: signingSecretText(signingSecret), isRotation: true };
  },
});

/** Ends the alerts to a destination until it is enabled. */
export const disableDestination = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, project: { projectId } }, { destinationId }): Promise<null> {
    const change = { projectId, destinationId, reason: 'user' } as const;
    const result = await disableAlertDestination(ctx, change);
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return null;
  },
});

export const enableDestination = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, project: { projectId } }, { destinationId }): Promise<null> {
    const result = await enableAlertDestination(ctx, { projectId, destinationId });
    if (result.kind === 'not_found') refuse('not_found', GONE);
    return null;
  },
});

/** Deletes a destination with its history, and leads back to the list. */
export const removeDestination = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, project: { projectId } }, { destinationId }): Promise<null> {
    const result = await deleteAlertDestination(ctx, { projectId, destinationId });
    if (result.kind === 'not_found') refuse('not_found', GONE);
    redirect(`/projects/${projectId}/alerts`);
  },
});

export const sendTest = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, project: { projectId } }, { destinationId }): Promise<null> {
    refuseUnsent(await sendTestAlert(ctx, { projectId, destinationId }));
    return null;
  },
});

/** Asks the address of a destination again whether it wants the alerts. */
export const askForConfirmation = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, project: { projectId } }, { destinationId }): Promise<null> {
    const ref = { projectId, destinationId };
    if ((await getAlertDestination(ctx.db, ref)) === null) refuse('not_found', GONE);
    if (configuredMailer() === undefined) refuse('conflict', MAIL_IS_OFF);
    refuseUnsent(await sendConfirmation(ctx, ref));
    return null;
  },
});

/** Sends a lost alert again. */
export const sendAgain = projectAction({
  right: 'change_alerts',
  input: z.object({
    ...ref,
    deliveryId: z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
  }),
  async run({ ctx, project: { projectId } }, { destinationId, deliveryId }): Promise<null> {
    refuseUnsent(await sendAlertAgain(ctx, { projectId, destinationId, deliveryId }));
    return null;
  },
});

function refuseUnsent(result: SendAlertResult): void {
  if (result.kind === 'not_found') refuse('not_found', GONE);
  if (result.kind === 'disabled') {
    refuse('conflict', 'The destination is disabled. Enable it first.');
  }
  if (result.kind === 'unconfirmed') {
    refuse('conflict', 'The address has not confirmed that it wants these alerts.');
  }
  if (result.kind === 'unsubscribed') refuse('conflict', UNSUBSCRIBED);
  if (result.kind === 'limited') refuse('rate_limited', tooManyAttempts(result.retryAfterSeconds));
}

const UNSUBSCRIBED =
  'This address does not want mail about alerts. Its user can change that with the link of a mail that it got.';
const GONE = 'It was deleted in the meantime. Nothing was changed.';
const MAIL_IS_OFF =
  'Mail is off. Ask your administrator to set SMTP_URL and MAIL_FROM for the console.';
