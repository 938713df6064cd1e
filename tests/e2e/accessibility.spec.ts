import AxeBuilder from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { PAGES } from './pages.ts';
import { createProject, signUp } from './support.ts';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

let storage: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;
let projectId: string;

test.beforeAll(async ({ browser, baseURL }) => {
  const page = await (await browser.newContext({ baseURL })).newPage();
  await signUp(page);
  ({ projectId } = await createProject(page, 'Accessible'));
  storage = await page.context().storageState();
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [name, { path, signedIn }] of Object.entries(PAGES)) {
    test(`${name}, ${colorScheme}: axe finds nothing, on a desk and on a phone`, async ({
      browser,
      baseURL,
    }) => {
      for (const viewport of [
        { width: 1440, height: 900 },
        { width: 390, height: 844 },
      ]) {
        const context = await browser.newContext({
          baseURL,
          colorScheme,
          viewport,
          reducedMotion: 'reduce',
          ...(signedIn ? { storageState: storage } : {}),
        });
        const page = await context.newPage();
        await page.goto(path(projectId));
        const { violations } = await new AxeBuilder({ page }).withTags(STANDARDS).analyze();
        const told = violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
        );
        expect(told).toEqual([]);
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(overflow, 'the page must not scroll sideways').toBeLessThanOrEqual(0);
        await context.close();
      }
    });
  }
}
