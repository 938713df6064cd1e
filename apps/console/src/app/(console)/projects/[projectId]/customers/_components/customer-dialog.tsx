'use client';

import type { ReactNode } from 'react';
import { ConfirmAction, FormDialog } from '#components/action-dialog.tsx';
import { TextField } from '#components/form-fields.tsx';
import { LimitFields } from '#components/limit-fields.tsx';
import { MetadataField } from '#components/metadata-field.tsx';
import { CODE_INPUT } from '#components/ui/input.tsx';
import { named } from '#components/ui/name.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { withUndo } from '#components/undo.tsx';
import type { FormAction } from '#lib/action-state.ts';
import { zeroOf } from '#lib/format.ts';
import { legible } from '#lib/text.ts';
import { StillUsed } from '../../_components/still-used.tsx';
import {
  describeCustomer,
  resume,
  setBillingDay,
  setCustomerLimits,
  setCustomerPlan,
  suspend,
} from '../actions.ts';
import { type CustomerDialogFacts, type CustomerTarget, calledOf } from '../customer-state.ts';
import { BillingDayField, PlanFields } from './customer-fields.tsx';

/** What a dialog can do to a customer. */
export type CustomerStep = keyof typeof CHANGES | keyof typeof QUESTIONS;

export interface CustomerDialogProps extends CustomerDialogFacts {
  step: CustomerStep;
  target: CustomerTarget;
  onClose: () => void;
}

/** One change of a customer, and what it does to its calls. */
export default function CustomerDialog({ step, onClose, ...facts }: CustomerDialogProps) {
  const { target } = facts;
  const called = calledOf(target);
  const dialog = { onClose, hidden: { customerId: target.customerId } };
  if (step === 'suspend' || step === 'resume') {
    const { title, meaning, done, ...question } = QUESTIONS[step];
    const back = QUESTIONS[step === 'suspend' ? 'resume' : 'suspend'];
    return (
      <ConfirmAction
        {...dialog}
        {...question}
        title={title(called)}
        description={<p>{meaning}</p>}
        done={withUndo(
          { title: done, description: legible(called) },
          {
            action: back.action,
            fields: { projectId: facts.projectId, ...dialog.hidden },
            done: back.done,
          },
        )}
      >
        {step === 'suspend' && <StillUsed of={{ customer: target.customerId }} as="customer" />}
      </ConfirmAction>
    );
  }
  const { title, done, fields, ...change } = CHANGES[step];
  const seen = { ...target, plan: target.plan?.name ?? null };
  return (
    <FormDialog
      {...change}
      onClose={onClose}
      hidden={{ ...dialog.hidden, seen: JSON.stringify(seen) }}
      title={title(called)}
      done={{ title: done, description: legible(called) }}
    >
      {fields(facts)}
    </FormDialog>
  );
}

interface Change {
  title: (called: string) => ReactNode;
  description: string;
  action: FormAction;
  submit: string;
  /** The message of a success. */
  done: string;
  fields: (facts: CustomerDialogFacts & { target: CustomerTarget }) => ReactNode;
}

const CHANGES = {
  describe: {
    title: (called) => named`Name and IDs of ${called}`,
    description: 'Your API sees the external ID with every allowed call, from the next one on.',
    action: describeCustomer,
    submit: 'Save',
    done: 'Customer saved',
    fields: ({ target: { externalId, name, metadata } }) => (
      <>
        <TextField name="externalId" label="External ID" initial={externalId} {...CODE_INPUT} />
        <TextField name="name" label="Name" optional initial={name} />
        <MetadataField initial={metadata} />
      </>
    ),
  },
  plan: {
    title: (called) => named`Plan of ${called}`,
    description: 'It applies from the next request on. What was used of this period still counts.',
    action: setCustomerPlan,
    submit: 'Save plan',
    done: 'Plan saved',
    fields: ({ target, projectId, plans }) => (
      // The list of plans needs room, which a dialog would cut off.
      <div className="grid min-h-80 content-start gap-4">
        <PlanFields projectId={projectId} plans={plans} initial={target} />
      </div>
    ),
  },
  limits: {
    title: (called) => named`Limits of ${called}`,
    description:
      'Each replaces that of the customer’s plan, from the next request on. All its keys share them.',
    action: setCustomerLimits,
    submit: 'Set limits',
    done: 'Limits saved',
    fields: ({ target }) => (
      <LimitFields
        initial={target}
        hintOf={(name) => `If empty, the limit of the plan applies. ${zeroOf(name)}`}
      />
    ),
  },
  billing_day: {
    title: (called) => named`Billing day of ${called}`,
    description: 'The customer’s month begins on this day, at 00:00 UTC.',
    action: setBillingDay,
    submit: 'Set billing day',
    done: 'Billing day saved',
    fields: ({ target }) => (
      <>
        <BillingDayField initial={target.billingDay} />
        <Notice tone="warning" title="Another day restarts the quota">
          With a billing day that it has not had in this period, the customer’s monthly quota is
          whole again from the next request on. Going back to an earlier day brings back what was
          used under it.
        </Notice>
      </>
    ),
  },
} as const satisfies Record<string, Change>;

const QUESTIONS = {
  suspend: {
    title: (called: string) => named`Suspend ${called}?`,
    meaning:
      'From the next request on, calls with every key of this customer are denied as inactive_subscription, until you resume it. Its keys, usage and plan stay.',
    action: suspend,
    cancel: 'Keep customer active',
    confirm: 'Suspend customer',
    done: 'Customer suspended',
    isDangerous: true,
  },
  resume: {
    title: (called: string) => named`Resume ${called}?`,
    meaning:
      'From the next request on, calls with its keys are allowed again, unless another check denies them.',
    action: resume,
    cancel: 'Keep suspended',
    confirm: 'Resume customer',
    done: 'Customer resumed',
    isDangerous: false,
  },
} as const;
