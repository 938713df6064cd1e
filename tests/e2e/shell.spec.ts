import { expect, test } from '@playwright/test';
import { addDecisions } from './decisions.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type OwnProject, ownProject } from './own-project.ts';
import { pressShortcut } from './support.ts';

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

test('the palette finds keys, policies, requests and guides by keyboard, and sends no credential', async () => {
  const [apiKeyId, policyId] = [
    await project.addKey('Night shift'),
    await project.addPolicy('GET', '/v1/night*'),
  ];
  const [decisionId = ''] = await addDecisions(project.projectId, [{ requestId: 'night-42' }]);
  const page = await project.open('usage');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
  const field = page.getByRole('combobox', { name: 'Go to' });
  const selected = page.getByRole('dialog').getByRole('option', { selected: true });
  async function find(text: string, name: RegExp) {
    await pressShortcut(page, 'Control+k');
    await field.fill(text);
    await expect(selected).toHaveText(name);
    await page.keyboard.press('Enter');
  }

  await find('night sh', /^Night shift/);
  await page.waitForURL((url) => url.searchParams.get('q') === apiKeyId);
  await find('/V1/NIGHT', /^GET \/v1\/night/);
  await page.waitForURL(`**/policies/${policyId}`);
  await find('night-42', /^GET/);
  await page.waitForURL(`**/requests/${decisionId}`);
  await find('synchronous standby', /./);
  await page.waitForURL(/\/docs\//);

  await page.goto(project.at('usage'));
  await pressShortcut(page, 'Control+k');
  const secret = 'Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3Zq3';
  await field.fill(`ceiba_4fJx09Qa${secret}`);
  await expect(field).toHaveValue('ceiba_4fJx09Qa');
  await expect(page.getByText('No results.')).toBeVisible();
  expect(sent.filter((text) => text.includes('4fJx09Qa'))).not.toEqual([]);
  expect(sent.filter((text) => text.includes(secret))).toEqual([]);
  await field.fill('night');
  await expect(page.getByRole('option', { name: 'Night shift' })).toBeVisible();
  await expectAccessible(page);
});
