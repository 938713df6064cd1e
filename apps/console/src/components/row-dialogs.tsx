'use client';

import dynamic from 'next/dynamic';
import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import { Button, type ButtonProps } from './ui/button.tsx';
import { useRowDialog } from './ui/use-row-dialog.ts';

/** Opens a dialog; `from` gets the focus back. */
export type OpenDialog<Step> = (step: Step, from: HTMLElement | null) => void;

type OpenButtonProps<Step> = Pick<ButtonProps, 'size' | 'variant' | 'children'> & { opens: Step };

/**
 * The dialogs of the items of a page, which are loaded when the first one opens.
 *
 * @param load Loads the component of a dialog. It gets its step, and what all dialogs of the page share.
 */
export function rowDialogs<Step extends object, Shared extends object>(
  load: () => Promise<{ default: ComponentType<Step & Shared & { onClose: () => void }> }>,
) {
  const Dialog: ComponentType<Step & Shared & { onClose: () => void }> = dynamic(load);
  const OpenContext = createContext<OpenDialog<Step>>(() => {});
  /** Opens a dialog of the page. */
  const useOpen = () => useContext(OpenContext);
  return {
    /** Shows the dialogs of the items inside it. */
    Dialogs({ shared, children }: { shared: Shared; children: ReactNode }) {
      const dialog = useRowDialog<Step>();
      return (
        <OpenContext value={dialog.open}>
          <div {...dialog.listProps}>{children}</div>
          {dialog.shown && <Dialog {...shared} {...dialog.shown} onClose={dialog.close} />}
        </OpenContext>
      );
    },
    useOpen,
    /** A button that opens one dialog. */
    OpenButton({ opens, ...button }: OpenButtonProps<Step>) {
      const open = useOpen();
      return <Button {...button} onClick={(event) => open(opens, event.currentTarget)} />;
    },
  };
}
