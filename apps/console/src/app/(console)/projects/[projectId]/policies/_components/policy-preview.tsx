import {
  coveredBy,
  inMatchOrder,
  matchExplainer,
  type ParsedPathPattern,
  type ParsedPolicyMethod,
  type Policy,
  successorFinder,
} from '@ceiba/domain';
import { Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from '#components/ui/link.tsx';
import { Notice } from '#components/ui/notice.tsx';
import { PathCode, PathText } from '#components/ui/path-text.tsx';
import { MethodChip } from '#components/ui/state-chips.tsx';
import { policyText } from '#lib/format.ts';
import { warningOf } from './pattern-warning.ts';
import { samplesOf } from './samples.ts';

/** The ID of the policy that is being typed. */
const DRAFT = 'draft';

export interface PolicyPreviewProps {
  projectId: string;
  method: ParsedPolicyMethod;
  pattern: ParsedPathPattern;
  /** The saved policies, without the one that is being edited. */
  others: readonly Policy[];
  /** The path to try; empty if none. */
  path: string;
}

/** What the policy does once it is saved: which calls it matches, and which policy wins. */
export function PolicyPreview({ projectId, method, pattern, others, path }: PolicyPreviewProps) {
  if (!method.ok || !pattern.ok) {
    return (
      <p className="text-muted">
        Once the method and the pattern are valid, this shows which calls match.
      </p>
    );
  }
  const draft = { policyId: DRAFT, method: method.method, pathPattern: pattern.pattern };
  const same = others.find(
    (other) => other.method === draft.method && other.pathPattern === draft.pathPattern,
  );
  if (same !== undefined) {
    return (
      <Notice tone="warning" title="This policy exists already">
        <Link
          href={`/projects/${projectId}/policies/${same.policyId}`}
          className="font-medium text-accent-text underline"
        >
          Open it
        </Link>
      </Notice>
    );
  }
  const explain = draftExplainer(draft, others);
  const tried = samplesOf(draft).map((call) => ({ ...call, ...explain(call) }));
  const methodToTry = draft.method === '*' ? 'GET' : draft.method;
  const own = path === '' ? null : { method: methodToTry, path };
  const warning = warningOf(draft.pathPattern);
  return (
    <div className="grid gap-6">
      {warning && <Notice tone="warning">{warning}</Notice>}
      {own && <OwnCall call={own} {...explain(own)} />}
      <Calls title="These calls match" calls={tried.filter(({ matches }) => matches)} />
      <Calls title="These calls do not match" calls={tried.filter(({ matches }) => !matches)} />
      <Overlaps draft={draft} others={others} />
    </div>
  );
}

interface Call {
  method: string;
  path: string;
}

interface Explained {
  matches: boolean;
  /** Another policy that wins the call; null if there is none. */
  other: Policy | null;
  /** Why only `*` matches the path. */
  ambiguous: string | null;
}

function draftExplainer(draft: Policy, others: readonly Policy[]): (call: Call) => Explained {
  const explain = matchExplainer([...others, draft]);
  return ({ method, path }) => {
    const { winner, matching, ambiguous } = explain(method, path);
    return {
      matches: matching.includes(draft),
      other: winner === draft ? null : winner,
      ambiguous,
    };
  };
}

function OwnCall({ call, matches, other, ambiguous }: { call: Call } & Explained) {
  return (
    <Notice tone={matches ? 'done' : 'warning'}>
      <PathCode>{`${call.method} ${call.path}`}</PathCode>
      <p className="text-muted">{verdictOf({ matches, other, ambiguous })}</p>
    </Notice>
  );
}

function verdictOf({ matches, other, ambiguous }: Explained): ReactNode {
  const elsewhere = other && (
    <>
      <PathCode className="text-ink">{policyText(other)}</PathCode> is more specific and wins
    </>
  );
  if (matches) return elsewhere ? <>Matches, but {elsewhere}.</> : 'Matches, and this policy wins.';
  if (ambiguous) return `Does not match: the path ${ambiguous}.`;
  if (other) {
    return (
      <>
        Does not match. <PathCode className="text-ink">{policyText(other)}</PathCode> allows it.
      </>
    );
  }
  return 'Does not match.';
}

function Calls({ title, calls }: { title: string; calls: readonly (Call & Explained)[] }) {
  if (calls.length === 0) return null;
  return (
    <div>
      <h2 className="mb-2 font-medium">{title}</h2>
      <ul className="-mx-(--inset) divide-y border-t">
        {calls.map((call) => (
          <li
            key={`${call.method} ${call.path}`}
            className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-3 px-(--inset) py-2"
          >
            {call.matches ? (
              <Check aria-hidden="true" className="mt-1 size-4 text-allow-text" />
            ) : (
              <X aria-hidden="true" className="mt-1 size-4 text-deny-text" />
            )}
            <code className="text-small/6">
              <PathText>{`${call.method} ${call.path}`}</PathText>
            </code>
            {remarkOf(call) && (
              <span className="col-start-2 text-small text-muted">{remarkOf(call)}</span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function remarkOf({ matches, other, ambiguous }: Explained): string | null {
  if (other) return matches ? `${policyText(other)} wins` : `allowed by ${policyText(other)}`;
  return matches ? null : ambiguous;
}

/** Policies that match the same calls; which of them decides is a matter of labels and cost as well. */
function Overlaps({ draft, others }: { draft: Policy; others: readonly Policy[] }) {
  const by = successorFinder(inMatchOrder([...others, draft]))(draft).cover;
  const covers = coveredBy(draft, others);
  if (by === null && covers.length === 0) return null;
  return (
    <div className="grid gap-2">
      <h2 className="font-medium">Overlaps</h2>
      {by && (
        <p className="flex flex-wrap items-center gap-2 text-muted">
          Already covered by <PolicyWords policy={by} />
        </p>
      )}
      {covers.slice(0, SHOWN_OVERLAPS).map((covered) => (
        <p key={covered.policyId} className="flex flex-wrap items-center gap-2 text-muted">
          Also covers <PolicyWords policy={covered} />
        </p>
      ))}
      {covers.length > SHOWN_OVERLAPS && (
        <p className="text-muted">and {covers.length - SHOWN_OVERLAPS} more.</p>
      )}
    </div>
  );
}

const SHOWN_OVERLAPS = 4;

/** A policy within a sentence. */
export function PolicyWords({ policy }: { policy: Pick<Policy, 'method' | 'pathPattern'> }) {
  return (
    <span className="inline-flex max-w-full items-center gap-2">
      <MethodChip method={policy.method} />
      <PathCode className="min-w-0 text-ink">{policy.pathPattern}</PathCode>
    </span>
  );
}
