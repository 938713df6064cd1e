import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';

/** What is known of one item, in two columns where there is room. */
export const Facts = ({ children }: { children: ReactNode }) => (
  <div className="@container">
    <dl className="panel *:border-t *:px-(--inset) @3xl:grid @3xl:grid-cols-2 @3xl:*:odd:pr-10">
      {children}
    </dl>
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
    <div className="grid min-h-9 grid-cols-[5.5rem_minmax(0,1fr)_auto] items-start gap-x-3 sm:min-h-10 sm:grid-cols-[7rem_minmax(0,1fr)_auto] sm:gap-x-4 sm:py-1">
      <dt className="py-1.5 text-muted">{name}</dt>
      <dd className="min-w-0 py-1.5 wrap-anywhere">{children}</dd>
      {change && <dd className="-mr-3">{change}</dd>}
    </div>
  );
}

/** What the button of a fact does; on a phone a pencil stands for it, so that the fact keeps its line. */
export const ChangeLabel = ({ children }: { children: ReactNode }) => (
  <>
    <Pencil aria-hidden="true" className="sm:hidden" />
    <span className="max-sm:sr-only">{children}</span>
  </>
);

/** What the owner keeps with an item, as JSON. */
export const MetadataFact = ({
  metadata,
  change,
}: Pick<FactProps, 'change'> & { metadata: Record<string, unknown> }) => (
  <Fact name="Metadata" change={change}>
    {Object.keys(metadata).length === 0 ? (
      <span className="text-muted">none</span>
    ) : (
      <code className="text-small">
        {JSON.stringify(metadata, null, 1).replaceAll(/\n */g, ' ')}
      </code>
    )}
  </Fact>
);
