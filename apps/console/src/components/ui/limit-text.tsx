import { formatCount } from '../../lib/format.ts';

/** A limit in a column of numbers; null for none. */
export const LimitText = ({ value }: { value: number | null }) =>
  value === null ? (
    <abbr title="no limit" className="text-muted no-underline">
      –
    </abbr>
  ) : (
    formatCount(value)
  );
