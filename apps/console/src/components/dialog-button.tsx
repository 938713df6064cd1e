'use client';

import dynamic from 'next/dynamic';
import { type ComponentType, useState } from 'react';
import { Button, type ButtonProps } from './ui/button.tsx';

/**
 * A button and its dialog, which is loaded when it opens, to keep the page small.
 *
 * @param load Loads the dialog, which gets the properties of the button.
 */
export function dialogButton<Props extends object>(
  label: string,
  load: () => Promise<{ default: ComponentType<Props & { onClose: () => void }> }>,
  variant?: ButtonProps['variant'],
) {
  const Dialog: ComponentType<Props & { onClose: () => void }> = dynamic(load);
  return function DialogButton(props: Props) {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <Button variant={variant} aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {label}
        </Button>
        {isOpen && <Dialog {...props} onClose={() => setOpen(false)} />}
      </>
    );
  };
}
