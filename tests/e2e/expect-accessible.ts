import { expect, type Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules that judge colours: a theme changes nothing else. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Expects no findings of axe in the current state of a page, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  await expectNoFindings(page, 'light', STANDARDS);
  await expectNoFindings(page, 'dark', OF_COLOURS);
}

async function expectNoFindings(
  page: Page,
  colorScheme: 'light' | 'dark',
  runOnly: string[],
): Promise<void> {
  await page.emulateMedia({ colorScheme });
  // Only what is wrong is described, which on a long page is most of the work. There are no frames.
  const options: RunOptions = { runOnly, reporter: 'no-passes', iframes: false };
  const findings = await page.evaluate(async (options) => {
    const { axe: injected } = window as unknown as { axe: typeof axe };
    const { violations } = await injected.run(options);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
  }, options);
  expect(findings, colorScheme).toEqual([]);
}
