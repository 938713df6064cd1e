/**
 * The explicit directions and isolates of Unicode (UAX 9), which turn the text after them around,
 * and what has no width. Marks and joiners that scripts are written with are not among them: LRM,
 * RLM, ALM, ZWJ, ZWNJ.
 */
const HIDDEN = /[\u200B\u2060-\u2064\u202A-\u202E\u2066-\u206F\uFEFF]/g;

/**
 * A name as a line of text may hold it: what would act on the line unseen is seen, as U+FFFD. On a
 * page `<Name>` does this; text alone (an option, a label) calls it.
 */
export const legible = (name: string): string => name.replace(HIDDEN, '\uFFFD');

/**
 * Text for an address. A key or a project secret in it is cut to what is shown of it elsewhere: no
 * credential may reach an address.
 */
export const withoutSecrets = (text: string): string =>
  text.replace(/(ceiba_(?:secret_)?[0-9A-Za-z]{8})[0-9A-Za-z]+/g, '$1');
