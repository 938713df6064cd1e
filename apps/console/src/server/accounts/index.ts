/**
 * The door of this folder: how users sign up, sign in and prove themselves. Nothing else imports its
 * files, so that what they promise (attempts counted before anything is hashed, one answer whether or
 * not an account exists, secrets that are sealed) is decided here alone.
 */
export { notify, sendNow } from './account-mail.ts';
export { authOptions, configuredProviders } from './auth-options.ts';
export {
  mintRecoveryCodes,
  newAuthenticator,
  openAuthenticator,
} from './authenticator.ts';
export {
  challengeTokenDigest,
  dropChallengeToken,
  issueChallengeToken,
} from './challenge-cookie.ts';
export { changePasswordOf } from './change-password.ts';
export { confirmsAddresses, mailChangeLink, mailSignUpLink } from './confirm-address.ts';
export { changeEmailLink, signUpLink } from './confirmation-link.ts';
export { passkeyCreation, passkeyRequest, verifyCreatedPasskey } from './passkey.ts';
export { createResetLink } from './password-reset.ts';
export { provePassword } from './prove-password.ts';
export { factorOf } from './second-factor.ts';
export { keepSetupToken } from './setup-token.ts';
export { isSignUpOpen, needsSetup, signsUpByMail, signUpWithPassword } from './sign-up.ts';
