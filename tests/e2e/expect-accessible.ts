import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Expects no findings of axe in the current state of a page, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectNoFindings(page);
  }
}

/** Expects no findings of axe in the current state of a page. */
async function expectNoFindings(page: Page): Promise<void> {
  // The pages have no frames, for which axe would open a second page on every call.
  const axe = new AxeBuilder({ page }).withTags(STANDARDS).setLegacyMode();
  const { violations } = await axe.analyze();
  const findings = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
  const theme = await page.evaluate(themeOf);
  expect(findings, `${theme}: ${findings.join('; ')}`).toEqual([]);
}

const themeOf = () => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
