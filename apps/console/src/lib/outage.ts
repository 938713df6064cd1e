const PREFIX = 'outage-';

/** The reference of a database outage. Next.js sends it to the browser as the error's `digest`. */
export const outageReference = (number: number): string => `${PREFIX}${number}`;

export const isOutage = (reference: string | undefined): boolean =>
  reference?.startsWith(PREFIX) ?? false;
