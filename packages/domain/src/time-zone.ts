const NAME_LENGTH_MAX = 64;

/**
 * The name by which this process knows a time zone: one for all names and spellings of it. Null for what
 * names none, such as an offset.
 */
export function knownTimeZone(name: string): string | null {
  if (name.length > NAME_LENGTH_MAX || !/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}
