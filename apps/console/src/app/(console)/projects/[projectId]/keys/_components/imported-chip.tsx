import { Import } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';

/** Marks a key whose secret another issuer made. */
export const ImportedChip = () => <Chip icon={Import}>Imported</Chip>;

/** The same in a list, where it is rarely what one looks for. */
export const ImportedMark = () => (
  <span title="Imported">
    <Import aria-hidden="true" className="size-4 text-muted" />
    <span className="sr-only">Imported</span>
  </span>
);
