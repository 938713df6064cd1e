import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PREVIOUS_RELEASE } from '../support/previous-release.ts';

/*
 * A migration runs before the previous release has stopped, so it only adds (docs/run/upgrades.md).
 * tests/deployment/upgrade/upgrade.test.ts runs that release; this finds what no test of it reaches.
 */

const folder = fileURLToPath(new URL('../../drizzle', import.meta.url));
const { entries }: { entries: { tag: string }[] } = JSON.parse(
  readFileSync(`${folder}/meta/_journal.json`, 'utf8'),
);
const tags = entries.map(({ tag }) => tag);
const sqlOf = (tag: string) => readFileSync(`${folder}/${tag}.sql`, 'utf8');

/** What the previous release may still use, or still write, each with what to do instead. */
const BREAKING: readonly [RegExp, string][] = [
  [/\bDROP (?:TABLE|VIEW|FUNCTION|TRIGGER|TYPE)\b/i, 'drop it in the release after the next'],
  [/\bDROP COLUMN\b/i, 'drop it in the release after the next'],
  [/\bRENAME\b/i, 'add the new name, and drop the old one later'],
  [/\bSET NOT NULL\b/i, 'the previous release may write null'],
  [/\bDROP DEFAULT\b/i, 'the previous release may leave the value out'],
  [/\b(?:SET DATA )?TYPE\b(?=\s+(?:"|\w))/i, 'add a column of the new type'],
  [/\bADD COLUMN\b(?=.*\bNOT NULL\b)(?!.*\b(?:DEFAULT|GENERATED)\b)/is, 'give it a default'],
  [/\bDROP CONSTRAINT "\w+_p?key"/i, 'the previous release may name it in ON CONFLICT'],
  [/\bADD CONSTRAINT\b/i, 'the previous release may write rows that break it'],
  [/\bCREATE UNIQUE INDEX\b/i, 'the previous release may write rows that break it'],
  [/\b(?:TRUNCATE|DELETE FROM)\b/i, 'the previous release may still read it'],
];

/** A comment before a statement, which says why the previous release works with it. */
const EXPLAINED = /^\s*-- expand: \S.+/m;

/** Each statement of the migrations that may break a release which does not know them. */
function breakingIn(migrations: readonly string[]): string[] {
  const text = migrations.join('--> statement-breakpoint\n');
  const added = new Set([...text.matchAll(/CREATE TABLE "(\w+)"/g)].map(([, name]) => name));
  return text.split('--> statement-breakpoint').flatMap((statement) => {
    const table = /(?:TABLE|INDEX "\w+" ON|FROM) "(\w+)"/.exec(statement)?.[1];
    if (EXPLAINED.test(statement) || added.has(table)) return [];
    const sql = statement.replaceAll(/^\s*--.*$/gm, '').trim();
    return BREAKING.filter(([pattern]) => pattern.test(sql)).map(
      ([, instead]) => `${sql.split('\n')[0]} (${instead})`,
    );
  });
}

describe('the migrations since the previous release', () => {
  it('only add, so that the previous release works until it is replaced', () => {
    const known = tags.indexOf(PREVIOUS_RELEASE.migration);
    expect(known, 'drizzle/previous-release.json names a migration').toBeGreaterThanOrEqual(0);
    expect(breakingIn(tags.slice(known + 1).map(sqlOf))).toEqual([]);
  });
});

describe('the check of a migration', () => {
  it.each([
    'DROP TABLE "plans";',
    'ALTER TABLE "plans" DROP COLUMN "name";',
    'ALTER TABLE "plans" RENAME COLUMN "name" TO "title";',
    'ALTER TABLE "plans" ALTER COLUMN "note" SET NOT NULL;',
    'ALTER TABLE "plans" ALTER COLUMN "note" DROP DEFAULT;',
    'ALTER TABLE "plans" ALTER COLUMN "note" SET DATA TYPE integer;',
    'ALTER TABLE "plans" ADD COLUMN "region" text NOT NULL;',
    'ALTER TABLE "resets" DROP CONSTRAINT "resets_pkey";',
    'ALTER TABLE "plans" ADD CONSTRAINT "plans_check" CHECK ("plans"."cap" > 0);',
    'CREATE UNIQUE INDEX "plans_name_key" ON "plans" USING btree ("name");',
    'DELETE FROM "plans";',
  ])('finds %s', (sql) => {
    expect(breakingIn(['CREATE TABLE "other" ("id" uuid NOT NULL);', sql])).toHaveLength(1);
  });

  it.each([
    'ALTER TABLE "plans" ADD COLUMN "region" text;',
    'ALTER TABLE "plans" ADD COLUMN "region" text DEFAULT \'eu\' NOT NULL;',
    'CREATE INDEX "plans_cap_idx" ON "plans" USING btree ("cap");',
    'DROP INDEX "plans_cap_idx";',
    'ALTER TABLE "plans" DROP CONSTRAINT "plans_cap_check";',
    '-- expand: only rows of the new kind have it\nALTER TABLE "plans" ADD CONSTRAINT "c" CHECK (true);',
  ])('accepts %s', (sql) => {
    expect(breakingIn([sql])).toEqual([]);
  });

  it('accepts anything on a table that the previous release does not have', () => {
    const table = 'CREATE TABLE "regions" ("id" uuid NOT NULL);';
    expect(breakingIn([table, 'ALTER TABLE "regions" DROP COLUMN "id";'])).toEqual([]);
  });
});
