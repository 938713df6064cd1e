import type { Labels } from '@ceiba/domain/labels';
import { Tag } from 'lucide-react';
import { formatCount } from '../../lib/format.ts';
import { FOLD_SUMMARY } from './fold.ts';

/** Of more labels, the first are shown. */
const LABELS_MAX = 10;
const FIRST_LABELS = 8;

/** Labels of a policy, or the scopes of a key or a plan; nothing without any. Wraps in a flex box. */
export function LabelChips({ labels }: { labels: Labels }) {
  if (labels === null) return null;
  if (labels.length <= LABELS_MAX) return <Chips labels={labels} />;
  return (
    <>
      <Chips labels={labels.slice(0, FIRST_LABELS)} />
      <details className="group w-full">
        <summary className={FOLD_SUMMARY}>
          <span className="group-open:hidden">Show all {formatCount(labels.length)} labels</span>
          <span className="not-group-open:hidden">Show fewer labels</span>
        </summary>
        <div className="mt-2 flex flex-wrap gap-2">
          <Chips labels={labels.slice(FIRST_LABELS)} />
        </div>
      </details>
    </>
  );
}

const Chips = ({ labels }: { labels: readonly string[] }) =>
  labels.map((label) => (
    <span
      key={label}
      className="inline-flex h-6 max-w-full items-center gap-1 rounded border bg-sunken px-2 font-mono text-small text-ink"
    >
      <Tag aria-hidden="true" className="size-3 shrink-0 text-muted" />
      <span className="truncate">{label}</span>
    </span>
  ));
