import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../docs/adr/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const records = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();
const headingOf = (text: string) => text.slice(0, text.indexOf('\n'));

describe('the architecture decision records', () => {
  test.each(records)('%s follows the template', (name) => {
    const text = read(name);
    expect(headingOf(text)).toMatch(new RegExp(`^# ${name.slice(0, 4)}: .+$`));
    expect(text).toMatch(
      /^\*\*Status\*\*: (?:accepted|replaced by \[\d{4}\]\S+), \d{4}-\d\d-\d\d\.$/m,
    );
    expect(text.match(/^## .+$/gm)).toEqual(['## Context', '## Decision', '## Consequences']);
  });

  test('the index lists each record once, by its title and in order', () => {
    const rows = [...read('README.md').matchAll(/^\| \[(\d{4})\]\((.+?)\) \| (.+) \|$/gm)];
    const listed = rows.map(([, number, file, title]) => ({
      file,
      heading: `# ${number}: ${title}`,
    }));
    const written = records.map((file) => ({ file, heading: headingOf(read(file)) }));
    expect(listed).toEqual(written);
  });
});
