import { Import } from 'lucide-react';
import { Chip } from '#components/ui/chip.tsx';

/** Marks a key whose secret another issuer made. */
export const ImportedChip = () => <Chip icon={Import}>Imported</Chip>;
