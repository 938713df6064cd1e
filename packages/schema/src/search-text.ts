/**
 * What somebody typed into a search box, or null where that is nothing. NUL goes, because no text
 * of Postgres can hold it.
 */
export const searchText = (text: string | undefined): string | null =>
  text?.replaceAll('\0', '').trim() || null;
