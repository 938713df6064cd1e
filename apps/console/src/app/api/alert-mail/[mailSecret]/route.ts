import { digestOf, isWellFormedMailLink } from '@ceiba/domain';
import { unsubscribeAlertMail } from '@ceiba/schema';
import { DatabaseUnavailableError, withDatabase } from '#server/database.ts';
import { log } from '#server/log.ts';
import { env } from '../../../../env.ts';

/**
 * Where a mail program unsubscribes with one click (RFC 8058). It has no session and sends no origin: the
 * link is the proof. Opening it changes nothing, because programs that look for harmful links open all.
 */
interface Context {
  params: Promise<{ mailSecret: string }>;
}

const NO_STORE = { 'cache-control': 'no-store' };

/** Leads to the page with the buttons. */
export async function GET(_: Request, { params }: Context): Promise<Response> {
  const { mailSecret } = await params;
  const page = `${env().publicOrigin}/alert-mail`;
  const location = isWellFormedMailLink(mailSecret) ? `${page}#${mailSecret}` : page;
  return new Response(null, { status: 303, headers: { location, ...NO_STORE } });
}

/** Unsubscribes. Its body, `List-Unsubscribe=One-Click`, says nothing that the address does not. */
export async function POST(_: Request, { params }: Context): Promise<Response> {
  const { mailSecret } = await params;
  if (!isWellFormedMailLink(mailSecret)) return answer(404, 'This link is not complete.');
  try {
    const { kind } = await withDatabase((db) =>
      unsubscribeAlertMail(
        { db, actor: { kind: 'system' }, clientAddress: null, requestId: null },
        digestOf(mailSecret),
      ),
    );
    return kind === 'not_found'
      ? answer(404, 'This link has ended: no mail of the last 60 days has it.')
      : answer(200, 'Unsubscribed.');
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    log.error({ err: error }, 'alert_mail.database_unavailable');
    return answer(503, 'The console cannot reach its database. Try again in a moment.');
  }
}

const answer = (status: number, text: string): Response =>
  new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain', ...NO_STORE } });
