import {
  type DenialReason,
  HOST_ERROR_FOR_DENIAL,
  HTTP_STATUS_FOR_DENIAL,
} from '@ceiba/contract/sets';
import { ArrowRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Gate, GateLine } from '../gates.tsx';
import { Name } from '../ui/name.tsx';
import { PathText, RecordedPath } from '../ui/path-text.tsx';
import { MethodChip, OutcomeTitle } from '../ui/state-chips.tsx';
import { TextLink } from '../ui/text-link.tsx';
import { AbsoluteTime, RelativeTime } from '../ui/time.tsx';
import {
  type ExplainedDecision,
  GATE_NAMES,
  type Remedy,
  type SimulatedGate,
  type Simulation,
} from './simulation.ts';

/** The decision on a call as it would be decided now. */
export function SimulationView({ simulation }: { simulation: Simulation }) {
  const { gates, usageAsOf } = simulation;
  return (
    <DecisionCard
      decision={simulation}
      allowed="Every gate that can be checked here passes."
      footer={
        <>
          Nothing was charged. <Basis gates={gates} usageAsOf={usageAsOf} />
        </>
      }
    />
  );
}

export interface DecisionCardProps {
  decision: ExplainedDecision;
  /** The sentence beside the chip of an allow. */
  allowed: string;
  footer: ReactNode;
}

/** A decision, and the line of gates that led to it. */
export function DecisionCard({ decision, allowed, footer }: DecisionCardProps) {
  const { denialReason, apiKey, method, path, gates } = decision;
  return (
    <div className="rounded border bg-surface">
      <header className="grid gap-2 border-b p-4 sm:px-6 sm:py-5">
        <p className="flex min-w-0 flex-wrap items-center gap-2">
          <MethodChip method={method} />
          <RecordedPath path={path} />
        </p>
        <div>
          <OutcomeTitle outcome={denialReason ?? 'allowed'} />
          <p className="text-muted">{denialReason === null ? allowed : answerOf(denialReason)}</p>
        </div>
        {apiKey && (
          <p className="text-small break-words text-muted">
            With{' '}
            <span className="text-ink">
              <Name>{apiKey.displayName}</Name>
            </span>{' '}
            <code>{apiKey.keyPrefix}…</code>
          </p>
        )}
      </header>
      <div className="p-4 sm:p-6">
        <GateLine label="Gates in order" gates={gates.map(gateOf)} />
      </div>
      <footer className="border-t px-4 py-3 text-small text-muted sm:px-6">{footer}</footer>
    </div>
  );
}

const answerOf = (denialReason: DenialReason) => (
  <>
    Your API answers with{' '}
    <code>
      {HTTP_STATUS_FOR_DENIAL[denialReason]} {HOST_ERROR_FOR_DENIAL[denialReason]}
    </code>
    .
  </>
);

/** How current the counts are, if the call got as far as the limits. */
function Basis({ gates, usageAsOf }: Pick<Simulation, 'gates' | 'usageAsOf'>) {
  const month = gates.find(({ gate }) => gate === 'quota_exceeded');
  if (month?.state === 'not_reached') return 'The gates after the denial were not checked.';
  return (
    <>
      {usageAsOf === null ? (
        'No requests were counted in this period.'
      ) : (
        <>
          Usage is from <RelativeTime at={usageAsOf} />.
        </>
      )}{' '}
      Only the Runtime knows the current rate, at the time of a call.
    </>
  );
}

function gateOf({ gate, state, saw, at, remedy, cause }: SimulatedGate): Gate {
  return {
    id: gate,
    name: GATE_NAMES[gate],
    state,
    saw: saw && (
      <span className="wrap-anywhere">
        <PathText>{saw}</PathText> {at && <AbsoluteTime at={at} />}
      </span>
    ),
    remedy: remedy && (
      <div className="mt-2 grid gap-2">
        {[remedy, cause].map((step) => step && <Step key={step.text} {...step} />)}
      </div>
    ),
  };
}

const Step = ({ text, href, label }: Remedy) => (
  <>
    <p>{text}</p>
    {href !== undefined && (
      <p>
        <TextLink href={href} look="step" className="inline-flex items-center gap-1 wrap-anywhere">
          {label}
          <ArrowRight aria-hidden="true" className="size-4 shrink-0" />
        </TextLink>
      </p>
    )}
  </>
);
