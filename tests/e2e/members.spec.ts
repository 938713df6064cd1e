import { expect, test } from '@playwright/test';
import { expectAccessible } from './expect-accessible.ts';
import { consoleLog } from './own-project.ts';
import { createProject, gotoReady, newAccount, newUser } from './support.ts';

test('an invitation is accepted once, also by a person who signs up on the way, and gives its role', async ({
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  const owner = await newUser(page);
  const { projectId } = await createProject(page, 'Shared');
  const members = `/projects/${projectId}/members`;
  await gotoReady(page, members);
  await page.getByLabel('For').fill('Ana');
  await page.getByRole('button', { name: 'Create invitation' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ana is invited' })).toBeVisible();
  const link = (await page.getByRole('status').filter({ hasText: '/join#' }).innerText()).trim();
  const token = link.slice(link.indexOf('#') + 1);
  expect(token).toMatch(/^ceiba_invite_[0-9A-Za-z]{49}$/);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Leave without it' }).click();
  await expect(page.getByRole('row', { name: /^Ana viewer/ })).toBeVisible();

  // A refused acceptance does not bring the token back into the address, and leaves it valid.
  await page.goto(link);
  await page.getByRole('button', { name: 'Join project' }).click();
  await expect(page.getByText('You have access to this project already')).toBeVisible();
  await expect(page).toHaveURL(/\/join$/);

  // The token leaves the address at once, and no request has it in its URL or as its referrer.
  const ana = await (await browser.newContext()).newPage();
  const sent: string[] = [];
  ana.on('request', (request) => sent.push(request.url(), request.headers().referer ?? ''));
  await ana.goto(link);
  await expect(ana.getByText(`${owner.email} invites you to the project Shared`)).toBeVisible();
  await expect(ana).toHaveURL(/\/join$/);
  await expectAccessible(ana);
  await ana.getByRole('link', { name: 'Create an account' }).click();
  await ana.waitForURL('**/sign-up?next=%2Fjoin');
  const account = newAccount();
  await ana.getByLabel('E-mail').fill(account.email);
  await ana.getByLabel('Password', { exact: true }).fill(account.password);
  await ana.getByRole('button', { name: 'Create account' }).click();
  await expect(ana.getByText(`You join as ${account.email}`)).toBeVisible();
  await ana.getByRole('button', { name: 'Join project' }).click();
  await ana.waitForURL(`**/projects/${projectId}`);
  expect(sent.filter((text) => text.includes(token))).toEqual([]);
  expect(consoleLog()).not.toContain(token);

  // The link is used up, which it also says in a tab that shows the page without an invitation.
  const other = await (await browser.newContext()).newPage();
  await other.goto(link.slice(0, link.indexOf('#')));
  await expect(other.getByText('Open the whole link of your invitation')).toBeVisible();
  await other.goto(link);
  await expect(other.getByText('This invitation was accepted or revoked')).toBeVisible();
  await other.context().close();

  // A viewer reads; what a viewer cannot do is not offered, and its address explains why.
  await gotoReady(ana, `/projects/${projectId}/keys`);
  await expect(ana.getByText('No keys yet')).toBeVisible();
  await expect(ana.getByRole('link', { name: /Create/ })).toHaveCount(0);
  await ana.keyboard.press('Control+k');
  await expect(ana.getByRole('option', { name: 'Create project' })).toBeVisible();
  await expect(ana.getByRole('option', { name: 'Simulator' })).toBeVisible();
  await expect(ana.getByRole('option', { name: /^Create (key|policy)$/ })).toHaveCount(0);
  // The simulator explains a denial to them, and leaves out the links to what they may not change.
  await gotoReady(ana, `/projects/${projectId}/simulator`);
  await ana.getByLabel('Path', { exact: true }).fill('/v1/reports');
  await ana.getByRole('button', { name: 'Simulate call' }).click();
  const verdict = ana.getByRole('region', { name: 'Verdict' });
  await expect(verdict.getByText('Send a key as “x-api-key: …”')).toBeVisible();
  await expect(verdict.getByRole('link')).toHaveCount(0);
  expect((await ana.goto(`/projects/${projectId}/keys/new`))?.status()).toBe(403);
  await expect(ana.getByRole('heading', { level: 1 })).toHaveText('Your role does not permit this');
  await ana.getByRole('main').getByRole('link', { name: 'Members' }).click();
  await expect(ana.getByRole('heading', { level: 1 })).toHaveText('Members');
  await gotoReady(ana, '/projects');
  await expect(ana.getByText(`viewer, owned by ${owner.email}`)).toBeVisible();

  // From the next request on, a developer.
  await gotoReady(page, members);
  const role = page.getByRole('button', { name: `Role of ${account.email}: ` });
  await expect(role).toHaveText(/viewer$/);
  await role.press('ArrowDown');
  const roles = page.getByRole('navigation', { name: `Role of ${account.email}` });
  await expect(roles.getByRole('button', { name: /^viewer Sees every page/i })).toBeFocused();
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(roles.getByRole('button', { name: /^developer Also changes keys/i })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${account.email} is now developer`)).toBeVisible();
  await expect(role).toHaveText(/developer$/);
  await expect(role).toBeFocused();
  await gotoReady(ana, `/projects/${projectId}/keys/new`);
  await expect(ana.getByRole('heading', { level: 1, name: 'Create key' })).toBeVisible();
  await expect(ana.getByRole('link', { name: 'Simulator' })).toBeVisible();
  // Storing the secret is not theirs to do: only the owner has it and can rotate it.
  await gotoReady(ana, `/projects/${projectId}`);
  await expect(ana.getByText('2 of 5 steps are done.')).toBeVisible();
  await expect(ana.getByRole('button', { name: 'I have it' })).toHaveCount(0);
  await expect(ana.locator('[aria-current=step]')).toContainText('Add policies for your routes');

  // A transfer needs the project's name; the previous owner stays as a developer, until removed.
  await gotoReady(page, `/projects/${projectId}/settings`);
  await page.getByRole('button', { name: 'Transfer project…' }).click();
  const question = page.getByRole('dialog');
  await expect(question.getByLabel('New owner')).toContainText(account.email);
  await expect(question.getByRole('button', { name: 'Transfer project' })).toBeDisabled();
  await question.getByLabel('Type Shared to confirm').fill('Shared');
  await question.getByRole('button', { name: 'Transfer project' }).click();
  await expect(page.getByText('Only the owner can change the other settings')).toBeVisible();
  await gotoReady(ana, members);
  await ana.getByRole('button', { name: `Remove ${owner.email}` }).click();
  const removal = ana.getByRole('alertdialog');
  await expect(removal.getByRole('link', { name: 'Alerts' })).toHaveAttribute(
    'href',
    `/projects/${projectId}/alerts`,
  );
  await removal.getByRole('button', { name: 'Remove member' }).click();
  await expect(ana.getByText('Member removed')).toBeVisible();
  expect((await page.goto(members))?.status()).toBe(404);
  await ana.context().close();
});
