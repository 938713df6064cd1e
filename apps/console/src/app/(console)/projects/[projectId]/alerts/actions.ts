'use server';

import { randomBytes } from 'node:crypto';
import { signingSecretText } from '@ceiba/alerts/sign';
import { problemOfUrl } from '@ceiba/alerts/webhook-url';
import { ALERT_DESTINATIONS_MAX, ALERT_TYPES, type AlertType } from '@ceiba/domain';
import {
  type AlertDestinationRef,
  createAlertDestination,
  deleteAlertDestination,
  disableAlertDestination,
  enableAlertDestination,
  rotateSigningSecret,
  sendAlertAgain,
  sendConfirmation,
  sendTestAlert,
  updateAlertDestination,
  type VerbContext,
} from '@ceiba/schema';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { projectAction } from '#server/action.ts';
import { configuredMailer } from '#server/mail.ts';
import { type Answers, done, PROJECT_GONE, settle } from '#server/settle.ts';
import { env } from '../../../../../env.ts';
import { changedFields, seen, typedText } from '../../../../../lib/typed.ts';

/** Shown once: the secret is in this answer, and pages never read it. */
export interface NewSigningSecret {
  secret: string;
  isRotation: boolean;
}

const TYPES = Object.keys(ALERT_TYPES) as AlertType[];
const isChosen = Object.fromEntries(TYPES.map((type) => [type, z.literal('yes').optional()]));
const settings = { description: typedText, address: typedText };
const input = z.object({ ...settings, ...isChosen });

const isMailOff = () => configuredMailer() === undefined;

/** What a user writes of a destination, as its verbs check it. */
const written = ({ description, address, ...chosen }: z.output<typeof input>) => ({
  description,
  address,
  eventTypes: TYPES.filter((type) => new Map(Object.entries(chosen)).get(type) === 'yes'),
  problemOfUrl: (url: string) => problemOfUrl(url, env().webhookNetworks),
  isMailOff: isMailOff(),
});

const UNSUBSCRIBED =
  'This address does not want mail about alerts. Its user can change that with the link of a mail that it got.';
const UNSUBSCRIBED_ADDRESS = { field: 'address', text: UNSUBSCRIBED };
const GONE = 'It was deleted in the meantime. Nothing was changed.';
const MAIL_IS_OFF =
  'Mail is off. Ask your administrator to set SMTP_URL and MAIL_FROM for the console.';

const NOT_CREATED = {
  not_found: PROJECT_GONE,
  too_many: `A project has at most ${ALERT_DESTINATIONS_MAX} destinations. Delete one first.`,
  unsubscribed: UNSUBSCRIBED_ADDRESS,
  mail_off: MAIL_IS_OFF,
};

const NOT_SENT = {
  not_found: GONE,
  disabled: 'The destination is disabled. Enable it first.',
  unconfirmed: 'The address has not confirmed that it wants these alerts.',
  unsubscribed: UNSUBSCRIBED,
  mail_off: MAIL_IS_OFF,
};

/** 192 bits, as the specification of Standard Webhooks recommends. */
const mintSigningSecret = () => randomBytes(24);

/** Adds a webhook and returns its signing secret. */
export const addWebhook = projectAction({
  right: 'change_alerts',
  showsOnce: true,
  input,
  async run({ ctx, projectId }, given): Promise<NewSigningSecret> {
    const signingSecret = mintSigningSecret();
    const webhook = { projectId, kind: 'webhook', ...written(given), signingSecret } as const;
    settle(await createAlertDestination(ctx, webhook), NOT_CREATED);
    return { secret: signingSecretText(signingSecret), isRotation: false };
  },
});

/** Adds a mail address, and asks it whether it wants the alerts. */
export const addMailAddress = projectAction({
  right: 'change_alerts',
  input,
  async run({ ctx, projectId }, given): Promise<null> {
    const result = await createAlertDestination(ctx, {
      projectId,
      kind: 'mail',
      ...written(given),
      signingSecret: null,
    });
    return done(result, NOT_CREATED);
  },
});

const ref = { destinationId: z.guid() };

/** Changes the address, the description and the alerts of a destination. */
export const changeDestination = projectAction({
  right: 'change_alerts',
  input: input.extend({ ...ref, seen }),
  async run({ ctx, projectId }, { destinationId, seen, ...given }): Promise<null> {
    const { problemOfUrl, isMailOff, ...fields } = written(given);
    const result = await updateAlertDestination(ctx, {
      projectId,
      destinationId,
      problemOfUrl,
      isMailOff,
      ...changedFields(fields, seen),
    });
    return done(result, {
      not_found: { text: GONE, keepsPage: true },
      unsubscribed: UNSUBSCRIBED_ADDRESS,
      mail_off: MAIL_IS_OFF,
    });
  },
});

/** Replaces the signing secret and returns the new one. */
export const rotateSigning = projectAction({
  right: 'change_alerts',
  showsOnce: true,
  input: z.object(ref),
  async run({ ctx, projectId }, { destinationId }): Promise<NewSigningSecret> {
    const signingSecret = mintSigningSecret();
    const change = { projectId, destinationId, signingSecret };
    settle(await rotateSigningSecret(ctx, change), { not_found: GONE });
    return { secret: signingSecretText(signingSecret), isRotation: true };
  },
});

/** A change that names nothing but the destination. */
const ofDestination = <Of extends { kind: string }>(
  verb: (ctx: VerbContext, destination: AlertDestinationRef) => Promise<Of>,
  answers: Answers<Of>,
) =>
  projectAction({
    right: 'change_alerts',
    input: z.object(ref),
    run: async ({ ctx, projectId }, { destinationId }) =>
      done(await verb(ctx, { projectId, destinationId }), answers),
  });

/** Ends the alerts to a destination until it is enabled. */
export const disableDestination = ofDestination(
  (ctx, destination) => disableAlertDestination(ctx, { ...destination, reason: 'user' }),
  { not_found: GONE },
);

export const enableDestination = ofDestination(enableAlertDestination, { not_found: GONE });

export const sendTest = ofDestination(sendTestAlert, NOT_SENT);

/** Asks the address of a destination again whether it wants the alerts. */
export const askForConfirmation = ofDestination(
  (ctx, destination) => sendConfirmation(ctx, { ...destination, isMailOff: isMailOff() }),
  NOT_SENT,
);

/** Deletes a destination with its history, and leads back to the list. */
export const removeDestination = projectAction({
  right: 'change_alerts',
  input: z.object(ref),
  async run({ ctx, projectId }, { destinationId }): Promise<null> {
    settle(await deleteAlertDestination(ctx, { projectId, destinationId }), { not_found: GONE });
    redirect(`/projects/${projectId}/alerts`);
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
  run: async ({ ctx, projectId }, delivery) =>
    done(await sendAlertAgain(ctx, { projectId, ...delivery }), NOT_SENT),
});
