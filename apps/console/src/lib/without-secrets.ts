/**
 * Text for an address. A key or a project secret in it is cut to what is shown of it elsewhere: no
 * credential may reach an address.
 */
export const withoutSecrets = (text: string): string =>
  text.replace(/(ceiba_(?:secret_)?[0-9A-Za-z]{8})[0-9A-Za-z]+/g, '$1');
