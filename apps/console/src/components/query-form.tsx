'use client';

import Form from 'next/form';
import type { ComponentProps } from 'react';

/** A form whose fields become the query of a URL. Empty fields are left out. */
export const QueryForm = (props: Omit<ComponentProps<typeof Form>, 'ref'>) => (
  <Form prefetch={false} {...props} ref={leaveOutEmpty} />
);

function leaveOutEmpty(form: HTMLFormElement | null) {
  if (form === null) return;
  const onData = ({ formData }: FormDataEvent) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  };
  form.addEventListener('formdata', onData);
  return () => form.removeEventListener('formdata', onData);
}
