'use client';

import { type ReactNode, useState } from 'react';
import { Button, type ButtonProps } from './ui/button.tsx';

export interface OpensDialogProps extends Pick<ButtonProps, 'variant'> {
  label: string;
  /** The dialog, which is best loaded when it opens, to keep the page small. */
  children: (close: () => void) => ReactNode;
}

/** A button and its dialog. */
export function OpensDialog({ label, variant, children }: OpensDialogProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant={variant} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
}
