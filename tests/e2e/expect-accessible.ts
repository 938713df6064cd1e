import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The rules that judge colours: a theme changes nothing else. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Expects no findings of axe in the current state of a page, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' });
  await expectNoFindings(page, 'light', (axe) => axe.withTags(STANDARDS));
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectNoFindings(page, 'dark', (axe) => axe.withRules(OF_COLOURS));
}

async function expectNoFindings(
  page: Page,
  theme: string,
  choose: (axe: AxeBuilder) => AxeBuilder,
): Promise<void> {
  // The pages have no frames, for which axe would open a second page on every call.
  // Only what is wrong is described, which on a long page is most of the work.
  const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] });
  const { violations } = await choose(axe).setLegacyMode().analyze();
  const findings = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
  expect(findings, `${theme}: ${findings.join('; ')}`).toEqual([]);
}
