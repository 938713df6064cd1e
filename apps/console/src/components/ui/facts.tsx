import { Pencil } from 'lucide-react';
import type { ReactNode } from 'react';
import { FOLD_SUMMARY } from './fold.ts';

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

const HALF_A_CHARACTER = /[\uD800-\uDBFF]$/;

/** Of longer metadata, the beginning is shown. */
const METADATA_MAX = 240;
const BEGINNING_LENGTH = 160;

/** What the owner keeps with an item, as JSON. */
export const MetadataFact = ({
  metadata,
  change,
}: Pick<FactProps, 'change'> & { metadata: Record<string, unknown> }) => (
  <Fact name="Metadata" change={change}>
    {Object.keys(metadata).length === 0 ? (
      <span className="text-muted">none</span>
    ) : (
      <Folded>{JSON.stringify(metadata, null, 1).replaceAll(/\n */g, ' ')}</Folded>
    )}
  </Fact>
);

/** JSON; of a long one the beginning, until its summary shows all of it. */
function Folded({ children: json }: { children: string }) {
  if (json.length <= METADATA_MAX) return <code className="text-small">{json}</code>;
  return (
    <div className="group">
      <code className="text-small group-has-[details[open]]:hidden">
        {json.slice(0, BEGINNING_LENGTH).replace(HALF_A_CHARACTER, '')}…
      </code>
      <details>
        <summary className={FOLD_SUMMARY}>
          <span className="group-has-[details[open]]:hidden">Show all of the metadata</span>
          <span className="not-group-has-[details[open]]:hidden">Show less of the metadata</span>
        </summary>
        <code className="text-small">{json}</code>
      </details>
    </div>
  );
}
