'use client';

import { unstable_isUnrecognizedActionError, unstable_rethrow, useParams } from 'next/navigation';
import {
  type ComponentProps,
  createContext,
  type ReactNode,
  startTransition,
  useActionState,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import {
  type ActionState,
  type FormAction,
  IDLE,
  type Refusal,
  unanswered,
} from '../lib/action-state.ts';
import { Notice } from './ui/notice.tsx';
import { type ToastMessage, useToast } from './ui/toast.tsx';

export interface ActionFormParts<Data> {
  pending: boolean;
  state: ActionState<Data>;
  /** How to fix a field, for `<Field error={…}>`. */
  errorOf: (field: string) => string | undefined;
  /** What was typed before a refusal, else `otherwise`; for `defaultValue`. */
  typed: (field: string, otherwise?: string) => string;
}

const PartsContext = createContext<ActionFormParts<unknown>>({
  pending: false,
  state: IDLE,
  errorOf: () => undefined,
  typed: (_, otherwise = '') => otherwise,
});

/** The state of the form around a field or a button. */
export const useActionForm = () => useContext(PartsContext);

export type ActionFormProps<Data> = Omit<
  ComponentProps<'form'>,
  'action' | 'children' | 'hidden'
> & {
  action: FormAction<Data>;
  /** Hidden fields. On the pages of a project, each form also sends its `projectId`. */
  hidden?: Record<string, string> | undefined;
  /** The message of a success. */
  done?: ToastMessage | ((data: Data) => ToastMessage) | undefined;
  /** Called once per success, with the form as it was filled in. */
  onDone?: ((data: Data, form: HTMLFormElement) => void) | undefined;
  /** The fields, which read the state of the form themselves. */
  children?: ReactNode | ((parts: ActionFormParts<Data>) => ReactNode);
};

/**
 * A form over a server action. When it is refused, it keeps what was typed, moves the focus to the
 * first invalid field, which it unfolds, and shows the form's error at its top, also that of a field which it
 * lacks; the error of a field goes as it changes.
 * If the server does not answer, it shows that as an error. It works without scripts too, except for
 * `done` and `onDone`.
 */
export function ActionForm<Data>({
  action,
  hidden,
  done,
  onDone,
  children,
  onInput,
  ...rest
}: ActionFormProps<Data>) {
  // On the server the form needs the action itself, to work without scripts.
  const call = useMemo(
    () => (typeof window === 'undefined' ? action : catchOutage(action)),
    [action],
  );
  const [state, dispatch, pending] = useActionState<ActionState<Data>, FormData>(call, IDLE);
  const form = useRef<HTMLFormElement>(null);
  const settledAt = state.kind === 'idle' ? 0 : state.at;
  const toast = useToast();
  // A success can change the page, and with it what this form would announce.
  const sent = useRef(done);
  const latest = useRef({ state, onDone });
  latest.current = { state, onDone };

  const [unseen, setUnseen] = useState({ at: 0, text: '' });

  useEffect(() => {
    if (settledAt === 0) return;
    const { state: settled, onDone: report } = latest.current;
    if (form.current === null) return;
    if (settled.kind === 'done') {
      const message = sent.current;
      if (message) toast(typeof message === 'function' ? message(settled.data) : message);
      report?.(settled.data, form.current);
    } else {
      const invalid = form.current.querySelector<HTMLElement>('[aria-invalid=true]');
      const folded = invalid?.closest('details');
      if (folded) folded.open = true;
      invalid?.focus();
      if (settled.kind === 'refused') {
        setUnseen({ at: settledAt, text: errorsWithoutField(settled.fieldErrors, form.current) });
      }
    }
  }, [settledAt, toast]);

  const [corrected, setCorrected] = useState<{ at: number; fields: readonly string[] }>();
  const isCorrected = (field: string) =>
    corrected?.at === settledAt && corrected.fields.includes(field);
  const { projectId } = useParams<{ projectId?: string }>();
  const refusal = state.kind === 'refused' ? state : undefined;
  const message = refusal?.message ?? (unseen.at === settledAt ? unseen.text : '');
  const parts: ActionFormParts<Data> = {
    pending,
    state,
    errorOf: (field) => (isCorrected(field) ? undefined : refusal?.fieldErrors[field]),
    typed: (field, otherwise = '') => refusal?.values[field] ?? otherwise,
  };
  return (
    <form
      ref={form}
      action={dispatch}
      // React resets a form after its action. Dispatching it ourselves keeps what was typed.
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        const { submitter } = event.nativeEvent as SubmitEvent;
        const data = new FormData(event.currentTarget, submitter);
        sent.current = done;
        startTransition(() => dispatch(data));
      }}
      // An error is about what was sent, so it goes as its field changes. Not while the event is captured:
      // React would render the old text into a controlled field before the field hears of the new one.
      onInput={(event) => {
        onInput?.(event);
        const { name, dataset } = event.target as HTMLInputElement;
        const field = dataset.field ?? name;
        if (parts.errorOf(field) === undefined) return;
        const fields = corrected?.at === settledAt ? corrected.fields : [];
        setCorrected({ at: settledAt, fields: [...fields, field] });
      }}
      noValidate
      // Keeps the dialog around it open.
      data-pending={pending ? '' : undefined}
      {...rest}
    >
      {Object.entries({ ...(projectId && { projectId }), ...hidden }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {message && (
        // In a grid or a line, the form has the gap.
        <Notice tone="error" className="mb-6 [.flex>&]:mb-0 [.grid>&]:mb-0">
          {message}
          {refusal?.code === 'signed_out' && (
            <>
              {' '}
              <a href="/sign-in" target="_blank" className="underline" rel="noopener">
                Sign in
              </a>
            </>
          )}
        </Notice>
      )}
      <PartsContext value={parts}>
        {typeof children === 'function' ? children(parts) : children}
      </PartsContext>
    </form>
  );
}

/**
 * What is wrong with fields that the page lacks, such as the code of a second factor that was turned on
 * after it was loaded; empty if there are none.
 */
function errorsWithoutField(errors: Refusal['fieldErrors'], form: HTMLFormElement): string {
  const texts = Object.entries(errors).flatMap(([field, error]) => {
    const name = CSS.escape(field);
    const control = form.querySelector(
      `[name="${name}"]:not([type=hidden]), [data-field="${name}"]`,
    );
    return control === null ? `This page has no field “${field}”: ${error}` : [];
  });
  return texts.length === 0 ? '' : [...texts, 'Reload it, then try again.'].join(' ');
}

/** Turns a missing answer of the server into a refusal. */
function catchOutage<Data>(action: FormAction<Data>): FormAction<Data> {
  return async (state, form) => {
    try {
      return await action(state, form);
    } catch (error) {
      unstable_rethrow(error);
      const isOutdated = unstable_isUnrecognizedActionError(error);
      return unanswered(isOutdated ? OUTDATED : NO_ANSWER, form);
    }
  };
}

const NO_ANSWER =
  'The console is not answering. Your input is kept; try again in a moment, or reload to see what was saved.';
const OUTDATED =
  'The console was updated after this page was loaded, so nothing was changed. Copy your input, then reload the page.';
