import type { ReactNode } from 'react';

/** What is known of one item. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <dl className="panel numbers divide-y">{children}</dl>
);

export interface FactProps {
  name: string;
  /** The button that changes it. */
  change?: ReactNode;
  children: ReactNode;
}

export function Fact({ name, change, children }: FactProps) {
  return (
    <div className="grid min-h-12 grid-cols-[6rem_minmax(0,1fr)] items-center gap-x-4 gap-y-1 px-(--inset) py-2 sm:grid-cols-[9rem_minmax(0,1fr)_auto]">
      <dt className="self-start py-1 text-muted">{name}</dt>
      <dd className="min-w-0 py-1 wrap-anywhere">{children}</dd>
      {change && <dd className="max-sm:col-start-2">{change}</dd>}
    </div>
  );
}

/** What the owner keeps with an item, as JSON. */
export const MetadataFact = ({
  metadata,
  change,
}: Pick<FactProps, 'change'> & { metadata: Record<string, unknown> }) => (
  <Fact name="Metadata" change={change}>
    {Object.keys(metadata).length === 0 ? (
      <span className="text-muted">none</span>
    ) : (
      <code className="text-small break-all whitespace-pre-wrap">
        {JSON.stringify(metadata, null, 2)}
      </code>
    )}
  </Fact>
);
