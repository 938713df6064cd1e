import { HIDDEN_CHARACTERS } from '@ceiba/contract/sets';

const HIDDEN = new RegExp(HIDDEN_CHARACTERS, 'g');

/**
 * Replaces invisible control characters in a name by U+FFFD. `<Name>` does this on a page; plain
 * text, such as an option or a label, calls it itself.
 */
export const legible = (name: string): string => name.replace(HIDDEN, '\uFFFD');

/** Cuts keys, project secrets, tokens, invitations and resets to their first digits, because no credential may be in a URL. */
export const withoutSecrets = (text: string): string =>
  text
    .replace(
      /(ceiba_(?:secret_|invite_|reset_|mail_|setup_|token_)?[0-9A-Za-z]{8})[0-9A-Za-z]+/g,
      '$1',
    )
    .replace(KEY_OF_OTHER_PREFIX, '$1');

/** Most of a key of a project that chose another prefix; the IDs of other services are shorter. */
const KEY_OF_OTHER_PREFIX =
  /(?<![0-9A-Za-z])([a-z][a-z0-9_]{0,15}_[0-9A-Za-z]{8})[0-9A-Za-z]{32,}/g;

/** Completes the name of a key that was called by the secret before its last rotation. */
export const BY_OLD_SECRET = ', by its old secret';

/** Turns a rule (`must not be empty`) into a sentence. */
export function sentence(rule: string): string {
  const text = rule.charAt(0).toUpperCase() + rule.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
