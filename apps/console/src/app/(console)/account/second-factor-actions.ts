'use server';

import {
  confirmAuthenticator,
  enrollAuthenticator,
  findAuthenticator,
  type ProvenUser,
  replaceRecoveryCodes,
  type SecondFactor,
  turnOffSecondFactor,
} from '@ceiba/schema';
import { z } from 'zod';
import {
  mintRecoveryCodes,
  newAuthenticator,
  notify,
  openAuthenticator,
} from '#server/accounts/index.ts';
import { refuse, type UserContext, userAction } from '#server/action.ts';
import { settle } from '#server/settle.ts';
import { chargeCode, proveCode, proveSelf, refuseWrongCode, WRONG_CODE } from './prove-self.ts';

/** Shown once: what an authenticator app has to know. */
export type NewAuthenticator = ReturnType<typeof newAuthenticator>['shown'];

/** Shown once: pages never read them. */
export interface NewRecoveryCodes {
  recoveryCodes: string[];
  isRenewal: boolean;
}

const currentPassword = z.string().max(1024);
const code = z.string().min(1).max(64);

/** Creates the secret of an app. Sign-in asks for a code only once one has proven that the app works. */
export const setUpAuthenticator = userAction({
  setsUpSecondFactor: true,
  readsOnly: true,
  input: z.object({ currentPassword }),
  async run(context, input): Promise<NewAuthenticator> {
    const { inDatabase, user } = context;
    if (!user.hasPassword) refuse('conflict', NO_PASSWORD);
    const proven = await proveSelf(context, input.currentPassword);
    const { sealedSecret, shown } = newAuthenticator(user);
    const result = await inDatabase((ctx) => enrollAuthenticator(ctx, { ...proven, sealedSecret }));
    settle(result, { has_one: HAS_ONE });
    return shown;
  },
});

/** Turns the second factor on with a first code, and returns the recovery codes, once. */
export const confirmAuthenticatorApp = userAction({
  setsUpSecondFactor: true,
  showsOnce: true,
  input: z.object({ code }),
  async run(context, input): Promise<NewRecoveryCodes> {
    const { inDatabase, user } = context;
    const { userId, sessionVersion } = user;
    const app = await inDatabase(({ db }) => findAuthenticator(db, userId));
    if (app === null || app.isConfirmed) refuse('conflict', START_AGAIN);
    const stepOf = openAuthenticator(userId, app.sealedSecret);
    if (stepOf === null) refuse('conflict', START_AGAIN);
    await chargeCode(context);
    const step = stepOf(input.code);
    if (step === null) refuseWrongCode();
    const { codes, recoveryDigests } = mintRecoveryCodes();
    const { sealedSecret } = app;
    const result = await inDatabase((ctx) =>
      confirmAuthenticator(ctx, { userId, sessionVersion, sealedSecret, step, recoveryDigests }),
    );
    settle(result, { not_found: { code: 'conflict', text: START_AGAIN } });
    notify(user.email, 'second_factor_added');
    return { recoveryCodes: codes, isRenewal: false };
  },
});

/** Replaces the recovery codes, by password and code, and returns the new ones, once. */
export const renewRecoveryCodes = userAction({
  showsOnce: true,
  input: z.object({ currentPassword, code }),
  async run(context, input): Promise<NewRecoveryCodes> {
    const { inDatabase, user } = context;
    const proven = await proveBoth(context, input);
    const { codes, recoveryDigests } = mintRecoveryCodes();
    const result = await inDatabase((ctx) =>
      replaceRecoveryCodes(ctx, { ...proven, recoveryDigests }),
    );
    settle(result, { wrong: WRONG_CODE });
    notify(user.email, 'recovery_codes_replaced');
    return { recoveryCodes: codes, isRenewal: true };
  },
});

/** Turns the second factor off, by password and code. */
export const turnOffAuthenticator = userAction({
  input: z.object({ currentPassword, code }),
  async run(context, input): Promise<null> {
    const { inDatabase, user } = context;
    const proven = await proveBoth(context, input);
    const result = await inDatabase((ctx) => turnOffSecondFactor(ctx, proven));
    settle(result, { wrong: WRONG_CODE });
    notify(user.email, 'second_factor_removed');
    return null;
  },
});

/** Checks the password and the code of a user whose second factor is on. */
async function proveBoth(
  context: UserContext,
  input: { currentPassword: string; code: string },
): Promise<ProvenUser & { factor: SecondFactor }> {
  const { inDatabase, user } = context;
  const authenticator = await inDatabase(({ db }) => findAuthenticator(db, user.userId));
  if (!authenticator?.isConfirmed) refuse('conflict', 'The second factor is off already.');
  const proven = await proveSelf(context, input.currentPassword);
  return { ...proven, factor: await proveCode(context, authenticator, input.code) };
}

const HAS_ONE = 'An authenticator app is set up already. Turn it off first.';
const NO_PASSWORD = 'You sign in through a provider, which asks for its own second factor.';
const START_AGAIN = 'This set-up has expired or was replaced. Reload the page and start again.';
