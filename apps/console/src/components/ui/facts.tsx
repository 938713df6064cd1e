import type { ReactNode } from 'react';

/** What is known of one item, in two columns where there is room. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <div className="@container">
    <dl className="panel *:border-b @3xl:grid @3xl:grid-cols-2 @3xl:gap-x-4">{children}</dl>
  </div>
);

export interface FactProps {
  name: string;
  /** The button that changes it. */
  change?: ReactNode;
  children: ReactNode;
}

export function Fact({ name, change, children }: FactProps) {
  return (
    <div className="grid min-h-10 grid-cols-[6rem_minmax(0,1fr)] items-start gap-x-4 gap-y-1 px-(--inset) py-1 sm:grid-cols-[7rem_minmax(0,1fr)_auto]">
      <dt className="py-1.5 text-muted">{name}</dt>
      <dd className="min-w-0 py-1.5 wrap-anywhere">{children}</dd>
      {change && <dd className="-mr-3 max-sm:col-start-2 max-sm:-ml-3">{change}</dd>}
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
