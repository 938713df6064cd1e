import type { Labels } from '@ceiba/domain/labels';
import { Tag } from 'lucide-react';

/** Labels of a policy, or the scopes of a key or a plan; nothing without any. */
export const LabelChips = ({ labels }: { labels: Labels }) =>
  labels?.map((label) => (
    <span
      key={label}
      className="inline-flex h-6 max-w-full items-center gap-1 rounded border bg-sunken px-2 font-mono text-small text-ink"
    >
      <Tag aria-hidden="true" className="size-3 shrink-0 text-muted" />
      <span className="truncate">{label}</span>
    </span>
  ));
