/** A time that a caller gave: absent stays undefined, and null stays null. */
export function dateOf(text: string | undefined): Date | undefined;
export function dateOf(text: string | null | undefined): Date | null | undefined;
export function dateOf(text: string | null | undefined): Date | null | undefined {
  return typeof text === 'string' ? new Date(text) : text;
}
