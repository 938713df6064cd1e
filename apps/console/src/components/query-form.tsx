'use client';

import Form from 'next/form';
import { type ComponentProps, useEffect, useRef } from 'react';

export interface QueryFormProps extends Omit<ComponentProps<typeof Form>, 'ref'> {
  /** The fields in the URL. Those of the form follow them, also when a link changes the URL. */
  values: Readonly<Record<string, string>>;
}

/**
 * A form whose fields become the query of a URL. Empty fields are left out. A choice applies at once,
 * a text with Enter or when its field is left; without scripts, with a button.
 */
export function QueryForm({ values, ...props }: QueryFormProps) {
  const ref = useRef<HTMLFormElement>(null);
  const sent = useRef(new Map<string, FormDataEntryValue>());
  const inUrl = JSON.stringify(values);
  const seen = useRef(inUrl);

  useEffect(() => {
    const form = ref.current;
    if (form === null) return;
    sent.current = fieldsOf(form);
    return listen(form, sent);
  }, []);

  useEffect(() => {
    if (inUrl === seen.current) return;
    seen.current = inUrl;
    for (const [name, value] of Object.entries<string>(JSON.parse(inUrl))) {
      const field = ref.current?.elements.namedItem(name);
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) continue;
      // What was typed since stays.
      if (field.value === (sent.current.get(name) ?? '')) field.value = value;
    }
    if (ref.current !== null) sent.current = fieldsOf(ref.current);
  }, [inUrl]);

  return <Form prefetch={false} {...props} ref={ref} />;
}

/** A date is typed in parts, each of which is a change. */
const DATE_SETTLES_MS = 700;

/** Sends the form when a field was changed, and notes what was sent. */
function listen(form: HTMLFormElement, sent: { current: Map<string, FormDataEntryValue> }) {
  const listening = new AbortController();
  const { signal } = listening;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = () => {
    if (!isSame(fieldsOf(form), sent.current) && form.checkValidity()) form.requestSubmit();
  };
  const onChange = ({ target }: Event) => {
    const isDate = target instanceof HTMLInputElement && target.type.startsWith('date');
    clearTimeout(timer);
    timer = setTimeout(send, isDate ? DATE_SETTLES_MS : 0);
  };
  const onSubmit = () => {
    clearTimeout(timer);
    sent.current = fieldsOf(form);
  };
  const leaveOutEmpty = ({ formData }: FormDataEvent) => {
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
  };
  form.addEventListener('change', onChange, { signal });
  form.addEventListener('submit', onSubmit, { signal });
  form.addEventListener('formdata', leaveOutEmpty, { signal });
  return () => {
    clearTimeout(timer);
    listening.abort();
  };
}

const fieldsOf = (form: HTMLFormElement) => new Map(new FormData(form));

const isSame = (one: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>) =>
  one.size === other.size && [...one].every(([name, value]) => other.get(name) === value);
