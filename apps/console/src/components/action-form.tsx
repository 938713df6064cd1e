'use client';

import {
  type ComponentProps,
  type ReactNode,
  startTransition,
  useActionState,
  useEffect,
  useMemo,
  useRef,
} from 'react';
import { type ActionState, type FormAction, IDLE } from '../lib/action-state.ts';
import { answered } from './answered.ts';
import { Notice } from './ui/notice.tsx';

export interface ActionFormParts<Data> {
  pending: boolean;
  state: ActionState<Data>;
  /** How to fix a field; spread into `<Field error={…}>`. */
  errorOf: (field: string) => string | undefined;
  /** What was typed before a refusal, else the given value; for `defaultValue`. */
  typed: (field: string, otherwise?: string) => string;
}

export type ActionFormProps<Data> = Omit<
  ComponentProps<'form'>,
  'action' | 'children' | 'hidden'
> & {
  action: FormAction<Data>;
  /** Sent along unseen, such as `projectId`. */
  hidden?: Record<string, string>;
  /** Called once for each success, with the form as it was filled in. */
  onDone?: (data: Data, form: HTMLFormElement) => void;
  children: (parts: ActionFormParts<Data>) => ReactNode;
};

/**
 * A form over a server action. It keeps what was typed when it is refused, moves the focus to the
 * first field that is wrong, and says what is wrong with the whole at its top; also where nobody
 * answers. Works without scripts too, except for `onDone`.
 */
export function ActionForm<Data>({
  action,
  hidden = {},
  onDone,
  children,
  ...rest
}: ActionFormProps<Data>) {
  // The server writes the action's own address into the form, which is sent to it without scripts.
  const call = useMemo(() => (typeof window === 'undefined' ? action : answered(action)), [action]);
  const [state, dispatch, pending] = useActionState<ActionState<Data>, FormData>(call, IDLE);
  const form = useRef<HTMLFormElement>(null);
  const settledAt = state.kind === 'idle' ? 0 : state.at;
  const latest = useRef({ state, onDone });
  latest.current = { state, onDone };

  useEffect(() => {
    if (settledAt === 0) return;
    const { state: settled, onDone: report } = latest.current;
    if (form.current === null) return;
    if (settled.kind === 'done') report?.(settled.data, form.current);
    else form.current.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [settledAt]);

  const refusal = state.kind === 'refused' ? state : undefined;
  return (
    <form
      ref={form}
      action={dispatch}
      // React empties a form after its action; sending it by hand leaves what was typed.
      onSubmit={(event) => {
        event.preventDefault();
        if (pending) return;
        const { submitter } = event.nativeEvent as SubmitEvent;
        const data = new FormData(event.currentTarget, submitter);
        startTransition(() => dispatch(data));
      }}
      noValidate
      {...rest}
    >
      {Object.entries(hidden).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {refusal?.message && (
        <Notice tone="fault" className="mb-6">
          {refusal.message}
        </Notice>
      )}
      {children({
        pending,
        state,
        errorOf: (field) => refusal?.fieldErrors[field],
        typed: (field, otherwise = '') => refusal?.values[field] ?? otherwise,
      })}
    </form>
  );
}
