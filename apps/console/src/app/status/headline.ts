import type { ServiceStatus } from '#server/status.ts';

/** What a check is about; `schema` has words of its own. */
const CHECKED: Readonly<Record<string, string>> = { database: 'the database', redis: 'Redis' };

/** Whether everything works, or what does not. */
export function headline(services: readonly ServiceStatus[]): string {
  const silent = services.filter(({ answered }) => !answered).map(({ name }) => `the ${name}`);
  const down = new Set(
    services.flatMap(({ checks }) =>
      checks.filter(({ state }) => state === 'unavailable').map(({ name }) => name),
    ),
  );
  const lacksMigrations = down.delete('schema');
  // It answers the Runtime, and what the console lacks in it is a migration.
  if (lacksMigrations) down.delete('database');
  const sentences = [
    sentenceOf(silent, 'not answering'),
    sentenceOf(
      [...down].map((name) => CHECKED[name] ?? name),
      'unavailable',
    ),
    lacksMigrations ? 'The database lacks migrations: run ceiba migrate.' : '',
  ].filter(Boolean);
  return sentences.length === 0 ? 'Everything is working.' : sentences.join(' ');
}

const names = new Intl.ListFormat('en-GB');

function sentenceOf(subjects: readonly string[], state: string): string {
  if (subjects.length === 0) return '';
  const sentence = `${names.format(subjects)} ${subjects.length === 1 ? 'is' : 'are'} ${state}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
