import { expect, test } from '@playwright/test';
import { type OwnProject, ownProject } from './own-project.ts';

/** As long as a name can be, without a place to break it. */
const LONG_NAME = 'Reports'.repeat(14);

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, LONG_NAME);
});
test.afterAll(() => project?.close());

test('a long project name fits into the sidebar, and can be read in full', async () => {
  const page = await project.open('keys');
  const sidebar = page.getByRole('complementary', { name: 'Sidebar' });
  const widths = await sidebar.evaluate(({ scrollWidth, clientWidth }) => ({
    scrollWidth,
    clientWidth,
  }));
  expect(widths.scrollWidth).toBeLessThanOrEqual(widths.clientWidth);
  const switcher = sidebar.getByRole('button', { name: /switch project$/ });
  await expect(switcher.getByTitle(LONG_NAME)).toBeVisible();
});

test('a bar moves from the click on a link until its page is shown', async () => {
  const page = await project.open('keys');
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(
    ({ pathname }) => pathname === project.at('audit'),
    async (route) => {
      await answered;
      await route.continue();
    },
  );
  const bar = page.getByRole('progressbar', { name: 'Loading the page' });
  await expect(bar).toHaveCount(0);
  await page.getByRole('link', { name: 'Audit', exact: true }).click();
  await expect(bar).toBeAttached();
  answer();
  await page.waitForURL(`**${project.at('audit')}`);
  await expect(bar).toHaveCount(0);
});
