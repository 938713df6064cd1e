import { CONFIRMATION, CONFIRMATION_DAYS, KEY_IDLE_DAYS, USUAL_DAYS } from '@ceiba/domain';
import type { Mail } from '@ceiba/process/mail';
import type { ClaimedDelivery } from '@ceiba/schema';

/**
 * The mail of a delivery. Its subject is fixed for each type: users choose the names of projects and
 * keys, and their text must not look like Ceiba's in the list of someone's mails.
 *
 * @param token Of the link with which its recipient confirms or unsubscribes.
 */
export function mailOf(
  { event, address, projectId }: ClaimedDelivery,
  token: string,
  consoleUrl: string,
): Mail {
  const page = `${consoleUrl}/alert-mail#${token}`;
  const { subject, text } =
    event.type === CONFIRMATION
      ? { subject: 'Confirm alerts to this address', text: askingText(consoleUrl, page) }
      : alertText(event, `${consoleUrl}/projects/${projectId}`, page);
  return {
    to: address,
    subject: `[Ceiba] ${subject}`,
    text,
    id: event.id,
    unsubscribeUrl: `${consoleUrl}/api/alert-mail/${token}`,
  };
}

/** Names nothing that the user who asks has chosen: the page of the link shows the project. */
const askingText = (consoleUrl: string, page: string) =>
  [
    `A user of ${consoleUrl} wants to send alerts of a project to this address.`,
    `Nothing is sent here unless you confirm it within ${CONFIRMATION_DAYS} days.`,
    '',
    'To see which project it is, and to confirm or refuse:',
    page,
    '',
    'If you do not know what this is about, ignore it, or refuse with the link: no project of this console asks this address again then.',
  ].join('\n');

function alertText(event: Event, project: string, page: string): { subject: string; text: string } {
  const content = contentOf(event);
  const text = [
    `Project: ${nameOf(event.data.project)}`,
    '',
    ...content.lines,
    '',
    `${project}${content.page}`,
    '',
    '-- ',
    'Ceiba sent this because this address confirmed that it wants alerts of this project.',
    `To get no more of them: ${page}`,
  ].join('\n');
  return { subject: content.subject, text };
}

interface Content {
  /** Has no text that a user chose. */
  subject: string;
  lines: string[];
  /** The part of the project's address that shows more. */
  page: string;
}

type Event = ClaimedDelivery['event'];

function contentOf({ type, data }: Event): Content {
  switch (type) {
    case 'quota.threshold_reached': {
      const { threshold, used, monthlyQuota, month } = data;
      const denied =
        'Further calls that cost something are denied as quota_exceeded until the month ends.';
      return {
        subject: 'the monthly quota is nearly or fully used',
        lines: [
          `${threshold} % of the monthly quota: ${used} of ${monthlyQuota} requests of ${month} (UTC) are used.`,
          ...(threshold === 100 ? [denied] : []),
        ],
        page: '/subscription',
      };
    }
    case 'api_key.expiring':
      return {
        subject: 'a key expires soon',
        lines: [
          `The key ${data.displayName} (${data.keyPrefix}…) expires at ${data.expiresAt}.`,
          'From then on its calls are denied as expired_api_key.',
        ],
        page: `/keys/${data.apiKeyId}`,
      };
    case 'decisions.failing':
      return {
        subject: 'decisions are failing',
        lines: [
          `Since ${data.since}, at least ${data.failed} decisions were answered with 503 instead of a verdict.`,
          `Cause: ${listOf(data.causes)}. Hosts deny such calls. The log of the Runtime says more.`,
        ],
        page: '',
      };
    case 'denials.unusual':
      return {
        subject: 'more calls than usual are denied',
        lines: [
          `In the hour from ${data.hour}, at least ${data.denied} calls were denied with ${data.status}.`,
          `In the same hour of the last ${USUAL_DAYS} days there were ${data.usual} on average.`,
        ],
        page: `/requests?outcome=${data.status}&from=${data.hour}`,
      };
    case 'api_key.quota_nearly_used':
      return {
        subject: 'the monthly quota of a key is nearly used',
        lines: [nearlyUsedLine('key', data.displayName, data)],
        page: `/keys/${data.apiKeyId}`,
      };
    case 'customer.quota_nearly_used':
      return {
        subject: 'the monthly quota of a customer is nearly used',
        lines: [nearlyUsedLine('customer', data.name, data)],
        page: `/customers/${data.customerId}`,
      };
    case 'api_key.quota_used_up':
      return {
        subject: 'the quota of a key is used up',
        lines: [usedUpLine('key', data.displayName, data)],
        page: `/keys/${data.apiKeyId}`,
      };
    case 'customer.quota_used_up':
      return {
        subject: 'the quota of a customer is used up',
        lines: [usedUpLine('customer', data.name, data)],
        page: `/customers/${data.customerId}`,
      };
    case 'api_key.previous_secret_used':
      return {
        subject: 'a replaced secret is still used',
        lines: [
          `The replaced secret of the key ${data.displayName} (${data.keyPrefix}…) ends at ${data.validUntil} and was last used at ${data.lastUsedAt}.`,
          'From then on calls with it are denied: give its caller the new secret.',
        ],
        page: `/keys/${data.apiKeyId}`,
      };
    case 'project.previous_secret_used':
      return {
        subject: 'the previous project secret is still used',
        lines: [
          `The previous project secret ends at ${data.validUntil} and was last used at ${data.lastUsedAt}.`,
          'From then on the Runtime refuses it, and hosts that still use it deny every call: give each of them the new secret.',
        ],
        page: '/settings',
      };
    case 'api_key.idle':
      return {
        subject: 'a key is idle',
        lines: [
          `The key ${data.displayName} (${data.keyPrefix}…) was not used for ${KEY_IDLE_DAYS} days.`,
          'Archive it if it is not needed any more.',
        ],
        page: `/keys/${data.apiKeyId}`,
      };
    case 'api_key.revoked':
      return {
        subject: 'a key was revoked',
        lines: [`${data.actor} revoked the key ${nameOf(data.target)}.`],
        page: `/keys/${idOf(data.target)}`,
      };
    case 'api_key.rotated':
      return {
        subject: 'the secret of a key was replaced',
        lines: [`${data.actor} replaced the secret of the key ${nameOf(data.target)}.`],
        page: `/keys/${idOf(data.target)}`,
      };
    case 'project.secret_rotated':
      return {
        subject: 'the project secret was rotated',
        lines: [`${data.actor} rotated the project secret. The previous one ends within a day.`],
        page: '/settings',
      };
    case 'subscription.changed':
      return {
        subject: 'the subscription was changed',
        lines: [`${data.actor} changed the subscription. It applies from the next decision on.`],
        page: '/subscription',
      };
    default:
      return {
        subject: 'a test',
        lines: ['This is a test of your alerts. Nothing happened.'],
        page: '/alerts',
      };
  }
}

const usedUpLine = (noun: string, name: unknown, { period, used, quota }: Event['data']) =>
  `The ${noun} ${name} has used ${used} of its quota of ${quota} by ${period}: its calls that cost something are denied as quota_exceeded until the ${period} ends.`;

const nearlyUsedLine = (noun: string, name: unknown, { used, quota }: Event['data']) =>
  `The ${noun} ${name} has used ${used} of its quota of ${quota} by month. Once it is used up, its calls that cost something are denied as quota_exceeded until the month ends.`;

const idOf = (named: unknown): string => String((named as { id?: unknown } | null)?.id ?? '');
const nameOf = (named: unknown): string => String((named as { name?: unknown } | null)?.name ?? '');
const listOf = (items: unknown): string => (Array.isArray(items) ? items.join(', ') : '');
