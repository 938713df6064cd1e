'use client';

import { SubmitForm, type SubmitFormProps } from '#components/submit-form.tsx';

/** The form of a page without a session: one column with a wide button. */
export const AccountForm = <Data,>(form: SubmitFormProps<Data>) => (
  <SubmitForm variant="primary" isWide className="grid gap-6" {...form} />
);
