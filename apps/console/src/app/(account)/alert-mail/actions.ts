'use server';

import { type AlertConsent, digestOf, isWellFormedMailLink } from '@ceiba/domain';
import {
  confirmAlertMail,
  findAlertMail,
  unsubscribeAlertMail,
  type VerbContext,
} from '@ceiba/schema';
import { z } from 'zod';
import { publicAction, refuse } from '#server/action.ts';
import { done } from '#server/settle.ts';

/** What the page shows of a mail to its recipient. */
export interface ShownAlertMail {
  projectName: string;
  address: string | null;
  answer: AlertConsent | null;
  mayConfirm: boolean;
}

// The name ends like a credential's, so that a refusal does not send it back.
const input = z.object({ mailSecret: z.string().max(256) });

/** Shows what the link is about. The link itself is the proof that the caller got the mail. */
export const readAlertMail = publicAction({
  readsOnly: true,
  input,
  async run({ inDatabase }, { mailSecret }): Promise<ShownAlertMail> {
    const mail = await inDatabase(({ db }) => findAlertMail(db, digestIn(mailSecret)));
    if (mail === null) refuse('not_found', ENDED);
    const { projectName, address, answer, mayConfirm } = mail;
    return { projectName, address, answer, mayConfirm };
  },
});

/** Records that the address wants alerts of the project. */
export const confirmAlerts = publicAction({
  input,
  async run({ inDatabase }, { mailSecret }): Promise<null> {
    const digest = digestIn(mailSecret);
    const result = await inDatabase((ctx) => confirmAlertMail(asStranger(ctx), digest));
    return done(result, { not_found: ENDED, expired: EXPIRED });
  },
});

/** Ends the alerts of the project to the address. */
export const unsubscribeFromAlerts = publicAction({
  input,
  async run({ inDatabase }, { mailSecret }): Promise<null> {
    const digest = digestIn(mailSecret);
    const { kind } = await inDatabase((ctx) => unsubscribeAlertMail(asStranger(ctx), digest));
    if (kind === 'not_found') refuse('not_found', ENDED);
    return null;
  },
});

function digestIn(mailSecret: string): Buffer {
  if (!isWellFormedMailLink(mailSecret)) refuse('invalid', INCOMPLETE);
  return digestOf(mailSecret);
}

/** The audit log of the project does not learn from which network its recipient answers. */
const asStranger = (ctx: VerbContext): VerbContext => ({ ...ctx, clientAddress: null });

const INCOMPLETE = 'This link is not complete. Copy the whole link, up to its last character.';
const ENDED = 'This link has ended: its mail is older than 60 days, or its project was deleted.';
const EXPIRED = 'This request has expired. A user of the project can send a new one.';
