import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../docs/adr/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8');
const records = readdirSync(folder)
  .filter((name) => /^\d{4}-/.test(name))
  .sort();
const headingOf = (text: string) => text.slice(0, text.indexOf('\n'));

describe('the architecture decision records', () => {
  test.each(records)('%s follows the template, on a page', (name) => {
    const text = read(name);
    expect(headingOf(text)).toMatch(new RegExp(`^# ${name.slice(0, 4)}: .+$`));
    expect(text).toMatch(
      /^\*\*Status\*\*: (?:accepted|replaced by \[\d{4}\]\S+), \d{4}-\d\d-\d\d\.$/m,
    );
    expect(text.match(/^## .+$/gm)).toEqual(['## Context', '## Decision', '## Consequences']);
    expect(text.split(/\s+/).length).toBeLessThanOrEqual(750);
  });

  test('have measurements beside them, not inside: each file of them is linked by its record', () => {
    for (const file of readdirSync(new URL('measurements/', folder))) {
      const record = records.find((name) => name.startsWith(file.slice(0, 4)));
      expect(read(record ?? ''), file).toContain(`(measurements/${file})`);
    }
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
