import { expect, type Page, test } from '@playwright/test';
import { createKey, type OwnProject, ownProject } from './own-project.ts';
import { gotoReady } from './support.ts';

let project: OwnProject;

test.beforeAll(async ({ browser }) => {
  project = await ownProject(browser, 'In motion');
});
test.afterAll(() => project?.close());
test.beforeEach(() => project.empty());

/** One that began: of an animation its name, of a transition its property. */
interface Motion {
  name: string;
  on: string;
  ms: number;
  /** The properties that it changes. */
  properties: string[];
}

/** Records what moves from now on, also on the pages that are opened next. */
async function recordMotion(page: Page): Promise<void> {
  const record = () => {
    const seen: Motion[] = [];
    Object.assign(window, { motion: seen });
    for (const kind of ['animationstart', 'transitionrun']) {
      document.addEventListener(kind, (event) => {
        const target = event.target as Element;
        for (const animation of target.getAnimations()) {
          const name = 'animationName' in animation ? animation.animationName : 'transition';
          const effect = animation.effect as KeyframeEffect;
          const { duration } = effect.getComputedTiming();
          const frames = effect.getKeyframes().flatMap((frame) => Object.keys(frame));
          const properties = frames.filter(
            (key) => !['offset', 'computedOffset', 'easing', 'composite'].includes(key),
          );
          const on = (target.textContent ?? '').trim();
          seen.push({ name: String(name), on, ms: Number(duration), properties });
        }
      });
    }
  };
  await page.addInitScript(record);
  await page.evaluate(record);
}

const motionOf = (page: Page): Promise<Motion[]> =>
  page.evaluate(() => (window as unknown as { motion: Motion[] }).motion);

/** A call that is denied, opened from the list. */
async function openDenied(page: Page): Promise<void> {
  await project.authorize({ apiKey: null, method: 'GET', path: '/v1/reports' });
  await expect(async () => {
    await gotoReady(page, project.at('requests'));
    await expect(page.locator('tbody tr')).toHaveCount(1, { timeout: 500 });
  }).toPass();
  await page.locator('tbody tr').getByRole('link').click();
  await expect(page.getByRole('listitem').filter({ hasText: ': denied' }).first()).toBeVisible();
}

async function simulateDenied(page: Page): Promise<void> {
  await gotoReady(page, project.at('simulator?method=GET&path=/v1/reports'));
  await page.getByLabel('Path').fill('/v1/billing');
  await page.getByRole('button', { name: 'Simulate call' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: ': denied' })).toBeVisible();
}

/** Opens a key, and revokes it there. */
async function revoke(page: Page): Promise<void> {
  const apiKeyId = await project.addKey('Mobile app');
  await gotoReady(page, project.at(`keys/${apiKeyId}`));
  await page.getByRole('button', { name: 'Actions for Mobile app' }).click();
  await page
    .getByRole('navigation', { name: 'Actions for Mobile app' })
    .getByRole('button', { name: 'Revoke key' })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.getByText('Revoked', { exact: true }).first()).toBeVisible();
}

/** The list of active keys, while one of them is revoked in it. */
async function revokeInList(page: Page): Promise<void> {
  await project.addKey('Below');
  await project.addKey('Leaving', { created_at: new Date(2100, 0) });
  await gotoReady(page, project.at('keys'));
  await page.getByRole('button', { name: 'Actions for Leaving' }).click();
  await page
    .getByRole('navigation', { name: 'Actions for Leaving' })
    .getByRole('button', { name: 'Revoke key' })
    .click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect(page.locator('tbody tr')).toHaveText([/^Below/]);
}

/** The overview, while the first call is allowed. */
async function callFirst(page: Page): Promise<void> {
  const apiKey = await createKey(page, project, 'First caller');
  await project.addPolicy('GET', '/v1/reports*');
  await gotoReady(page, project.at(''));
  await expect(page.getByRole('heading', { name: 'Your first allowed call' })).toBeVisible();
  const call = { apiKey, method: 'GET', path: '/v1/reports' };
  expect((await project.authorize(call)).allowed).toBe(true);
  await expect(page.getByRole('heading', { name: 'It works' })).toBeVisible();
}

const CHANGES = [
  { what: 'a gate that closes on the page of a request', change: openDenied, name: 'close' },
  { what: 'a gate that closes in the simulator', change: simulateDenied, name: 'close' },
  { what: 'a key that is revoked', change: revoke, name: 'transition', on: 'Revoked' },
  { what: 'a key that leaves its list', change: revokeInList, name: 'leave', on: 'Leaving' },
  { what: 'the row below it', change: revokeInList, name: 'close-gap', on: 'Below' },
  { what: 'the first allowed call', change: callFirst, name: 'enter', on: 'It works' },
];

for (const { what, change, name, on = '' } of CHANGES) {
  test(`${what} moves for 150 to 300 ms, without moving anything else`, async () => {
    const page = await project.open('keys');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await recordMotion(page);
    await change(page);
    const ofChange = async () =>
      (await motionOf(page)).filter((one) => one.name === name && one.on.includes(on));
    await expect.poll(async () => (await ofChange()).length).toBeGreaterThan(0);
    for (const { ms, properties } of await ofChange()) {
      expect(ms).toBeGreaterThanOrEqual(150);
      expect(ms).toBeLessThanOrEqual(300);
      for (const property of properties) {
        expect(['opacity', 'transform']).toContain(property.replace(/^.*[cC]olor$/, 'opacity'));
      }
    }
  });

  test(`${what} does not move where a user asks for less motion`, async () => {
    const page = await project.open('keys');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await recordMotion(page);
    await change(page);
    expect(await motionOf(page)).toEqual([]);
  });
}
