import type { Mail } from '@ceiba/process/mail';
import type { ClaimedDelivery } from '@ceiba/schema';

/** The subject and the text of an alert by mail. */
export function mailOf(
  { event, address, projectId, destinationId }: ClaimedDelivery,
  consoleUrl: string,
): Mail {
  const project = `${consoleUrl}/projects/${projectId}`;
  const { subject, lines, page } = contentOf(event);
  return {
    to: address,
    subject: `[Ceiba] ${nameOf(event.data.project)}: ${subject}`,
    text: [
      ...lines,
      '',
      `${project}${page}`,
      '',
      '-- ',
      `Ceiba sent this because ${address} gets alerts of this project.`,
      `To change that: ${project}/alerts/${destinationId}`,
    ].join('\n'),
    id: event.id,
  };
}

interface Content {
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
      const denied = 'Further calls are denied as quota_exceeded until the month ends.';
      return {
        subject: `${threshold} % of the monthly quota is used`,
        lines: [
          `${used} of ${monthlyQuota} requests of ${month} (UTC) are used.`,
          ...(threshold === 100 ? [denied] : []),
        ],
        page: '/subscription',
      };
    }
    case 'api_key.expiring':
      return {
        subject: `key ${data.displayName} expires`,
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
    case 'api_key.revoked':
      return {
        subject: `key ${nameOf(data.target)} was revoked`,
        lines: [`${data.actor} revoked the key ${nameOf(data.target)}.`],
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

const idOf = (named: unknown): string => String((named as { id?: unknown } | null)?.id ?? '');
const nameOf = (named: unknown): string => String((named as { name?: unknown } | null)?.name ?? '');
const listOf = (items: unknown): string => (Array.isArray(items) ? items.join(', ') : '');
