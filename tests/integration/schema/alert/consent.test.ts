/** An address gets alerts only while it wants them, and a request for that is limited. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mintMailLink } from '@ceiba/domain';
import {
  claimAlertDeliveries,
  confirmAlertMail,
  createAlertDestination,
  deleteAlertDestination,
  deleteProject,
  findAlertMail,
  getAlertDestination,
  revokeApiKey,
  sendConfirmation,
  sendTestAlert,
  unsubscribeAlertMail,
  updateAlertDestination,
} from '@ceiba/schema';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeKey, makeOwner, makeProject, useBench } from '../support.ts';
import { claimAs, type MadeDestination, makeDestination, queuedAlerts } from './support.ts';

const bench = useBench();
let address: string;
beforeEach(async () => {
  address = `${randomUUID()}@example.com`;
  await bench.db.sql`delete from alert_events`;
  await bench.db.sql`delete from alert_attempts`;
});

const MAIL = {
  kind: 'mail',
  description: '',
  eventTypes: ['api_key.revoked'],
  problemOfUrl: () => null,
} as const;
const add = (projectId: string, to = address) =>
  createAlertDestination(bench.ctx, { ...MAIL, projectId, address: to, signingSecret: null });
const makeMail = (projectId: string) => makeDestination(bench.ctx, projectId, { ...MAIL, address });

/** Sends what is due, and returns the digests of the links that the mails have. */
async function sendDue(): Promise<{ type: string; digest: Buffer }[]> {
  const links: Buffer[] = [];
  const mintLink = () => {
    const link = mintMailLink(randomBytes);
    links.push(link.digest);
    return link;
  };
  const claimed = await claimAlertDeliveries(bench.db, claimAs({ mintLink }));
  await bench.db.sql`update alert_attempts set ends_at = now()`;
  await bench.db.sql`update alert_deliveries set status = 'delivered' where attempts > 0`;
  return claimed.map(({ event }, index) => ({ type: event.type, digest: links[index]! }));
}

async function askedLink(): Promise<Buffer> {
  const [asked] = await sendDue();
  expect(asked?.type).toBe('alert.confirmation');
  return asked!.digest;
}

const revokeAKey = async (projectId: string) => {
  const { apiKeyId } = await makeKey(bench.ctx, projectId);
  await revokeApiKey(bench.ctx, { projectId, apiKeyId });
};
const consentOf = async (ref: MadeDestination) =>
  (await getAlertDestination(bench.db, ref))?.consent;

describe('an address that has not confirmed', () => {
  it('gets one mail, which asks it, and no alert', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const mail = await makeMail(projectId);
    await revokeAKey(projectId);
    expect(await sendTestAlert(bench.ctx, mail)).toEqual({ kind: 'unconfirmed' });
    expect((await sendDue()).map(({ type }) => type)).toEqual(['alert.confirmation']);
    expect(await sendDue()).toEqual([]);
    expect(await consentOf(mail)).toBeNull();
  });

  it('is not taken while mail is off, as none can ask it', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const mail = await makeMail(projectId);
    const off = { ...MAIL, isMailOff: true };
    const change = (to: string, description = '') =>
      updateAlertDestination(bench.ctx, { ...mail, ...off, address: to, description });
    const other = `${randomUUID()}@example.com`;
    expect([
      await createAlertDestination(bench.ctx, {
        ...off,
        projectId,
        address: other,
        signingSecret: null,
      }),
      await change(other),
      await sendConfirmation(bench.ctx, { ...mail, isMailOff: true }),
    ]).toEqual([{ kind: 'mail_off' }, { kind: 'mail_off' }, { kind: 'mail_off' }]);
    expect(await getAlertDestination(bench.db, mail)).toMatchObject({ address });
    expect(await change(address, 'On call')).toEqual({ kind: 'updated' });
  });

  it('gets no alert that was queued for another address of its destination', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const mail = await makeMail(projectId);
    await confirmAlertMail(bench.ctx, await askedLink());
    await revokeAKey(projectId);
    const other = `${randomUUID()}@example.com`;
    await updateAlertDestination(bench.ctx, { ...mail, ...MAIL, address: other });
    expect((await sendDue()).map(({ type }) => type)).toEqual(['alert.confirmation']);
    expect(await consentOf(mail)).toBeNull();
  });

  it('is asked again at most three times a day, whichever user asks and whatever was deleted', async () => {
    const kinds: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const project = await makeProject(bench.ctx);
      // What follows the plus sign is the same mailbox.
      const created = await add(project.projectId, address.replace('@', `+${n}@`));
      kinds.push(created.kind);
      await deleteProject(bench.ctx, project);
    }
    expect(kinds).toEqual(['created', 'created', 'created', 'limited']);
  });

  it('is one of at most twenty that all projects of an owner ask in a day', async () => {
    const owner = await makeOwner(bench.ctx);
    const kinds: string[] = [];
    for (let n = 0; n < 21; n += 1) {
      const project = await makeProject(bench.ctx, owner);
      kinds.push((await add(project.projectId, `${randomUUID()}@example.com`)).kind);
      await deleteProject(bench.ctx, project);
    }
    expect(kinds.filter((kind) => kind === 'created')).toHaveLength(20);
    expect(kinds.at(-1)).toBe('limited');
  });
});

describe('an address that confirmed', () => {
  it('gets the alerts of that project, also after its destination was deleted and added again', async () => {
    const { projectId } = await makeProject(bench.ctx);
    const first = await makeMail(projectId);
    expect(await confirmAlertMail(bench.ctx, await askedLink())).toEqual({ kind: 'confirmed' });
    await deleteAlertDestination(bench.ctx, first);
    const mail = await makeMail(projectId);
    await revokeAKey(projectId);
    expect((await sendDue()).map(({ type }) => type)).toEqual(['api_key.revoked']);
    expect(await consentOf(mail)).toBe('confirmed');
  });

  it('gets none of another project', async () => {
    await makeMail((await makeProject(bench.ctx)).projectId);
    await confirmAlertMail(bench.ctx, await askedLink());
    const { projectId } = await makeProject(bench.ctx);
    await makeMail(projectId);
    await revokeAKey(projectId);
    expect(await queuedAlerts(bench.db, projectId)).toMatchObject([{ type: 'alert.confirmation' }]);
  });

  it('had seven days for it', async () => {
    const mail = await makeMail((await makeProject(bench.ctx)).projectId);
    const link = await askedLink();
    await bench.db.sql`update alert_mails set sent_at = now() - interval '7 days 1 minute'`;
    expect(await confirmAlertMail(bench.ctx, link)).toEqual({ kind: 'expired' });
    expect(await consentOf(mail)).toBeNull();
  });
});

describe('an address that unsubscribed', () => {
  const unsubscribed = async () => {
    const project = await makeProject(bench.ctx);
    const mail = await makeMail(project.projectId);
    await confirmAlertMail(bench.ctx, await askedLink());
    await revokeAKey(project.projectId);
    const [alert] = await sendDue();
    await revokeAKey(project.projectId);
    expect(await unsubscribeAlertMail(bench.ctx, alert!.digest)).toEqual({ kind: 'unsubscribed' });
    return { ...mail, ...project, link: alert!.digest };
  };

  it('gets nothing more of the project: no alert that waited or comes, and no request', async () => {
    const mail = await unsubscribed();
    await revokeAKey(mail.projectId);
    expect(await sendConfirmation(bench.ctx, mail)).toEqual({ kind: 'unsubscribed' });
    await deleteAlertDestination(bench.ctx, mail);
    expect(await add(mail.projectId)).toEqual({ kind: 'unsubscribed' });
    expect(await add(mail.projectId, address.toUpperCase())).toEqual({ kind: 'unsubscribed' });
    expect(await sendDue()).toEqual([]);
  });

  it('gets alerts again once it confirms with a link that it has', async () => {
    const mail = await unsubscribed();
    expect(await confirmAlertMail(bench.ctx, mail.link)).toEqual({ kind: 'confirmed' });
    await revokeAKey(mail.projectId);
    expect((await sendDue()).map(({ type }) => type)).toEqual(['api_key.revoked']);
  });

  it('without having confirmed is asked by no project again, until it confirms', async () => {
    await makeMail((await makeProject(bench.ctx)).projectId);
    const link = await askedLink();
    expect(await unsubscribeAlertMail(bench.ctx, link)).toEqual({ kind: 'unsubscribed' });
    const { projectId } = await makeProject(bench.ctx);
    expect(await add(projectId)).toEqual({ kind: 'unsubscribed' });
    await confirmAlertMail(bench.ctx, link);
    expect((await add(projectId)).kind).toBe('created');
  });

  it('may present its link twice, and a link of no mail does nothing', async () => {
    const { link } = await unsubscribed();
    expect(await unsubscribeAlertMail(bench.ctx, link)).toEqual({ kind: 'unchanged' });
    const none = randomBytes(32);
    expect(await findAlertMail(bench.db, none)).toBeNull();
    expect(await unsubscribeAlertMail(bench.ctx, none)).toEqual({ kind: 'not_found' });
    expect(await confirmAlertMail(bench.ctx, none)).toEqual({ kind: 'not_found' });
  });
});

it('keeps no address of someone who answered, only its digest', async () => {
  const project = await makeProject(bench.ctx);
  await makeMail(project.projectId);
  const link = await askedLink();
  await unsubscribeAlertMail(bench.ctx, link);
  const kept = await bench.db.sql`
    select to_jsonb(c) from alert_consents c union all select to_jsonb(r) from alert_refusals r
    union all select to_jsonb(m) from alert_mails m`;
  expect(kept.length).toBeGreaterThan(2);
  expect(JSON.stringify(kept)).not.toContain(address);
});
