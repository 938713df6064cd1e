import type { Metadata } from 'next';
import { AnswerAlertMail } from './_components/answer-alert-mail.tsx';

export const metadata: Metadata = { title: 'Alerts by mail', robots: { index: false } };

/** Where the link of an alert mail leads to. The server never sees its fragment. */
export default function AlertMailPage() {
  return (
    <>
      <h1 className="mt-8 mb-6 text-heading">Alerts by mail</h1>
      <AnswerAlertMail />
    </>
  );
}
