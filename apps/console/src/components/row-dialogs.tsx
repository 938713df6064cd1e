'use client';

import dynamic from 'next/dynamic';
import {
  type ComponentType,
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useEffectEvent,
} from 'react';
import { Button, type ButtonProps } from './ui/button.tsx';
import { useRowDialog } from './ui/use-row-dialog.ts';

/** Opens a dialog; `from` gets the focus back. With an address, it is the fragment of the page's. */
export type OpenDialog<Step> = (step: Step, from: HTMLElement | null, address?: string) => void;

interface Opening<Step> {
  opens: Step;
  /** A fragment that opens the dialog as well, where the page has this dialog once. */
  address?: string | undefined;
}

type OpenButtonProps<Step> = Pick<ButtonProps, 'size' | 'variant' | 'children'> & Opening<Step>;

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
  /** Opens one dialog of the page, also where the page is opened at its address. */
  const useOpening = ({ opens, address }: Opening<Step>) => {
    const open = useOpen();
    const openIfAsked = useEffectEvent(() => {
      if (address !== undefined && location.hash === `#${address}`) open(opens, null, address);
    });
    useEffect(() => {
      openIfAsked();
      const onStep = () => openIfAsked();
      addEventListener('popstate', onStep);
      return () => removeEventListener('popstate', onStep);
    }, []);
    return (from: HTMLElement | null) => open(opens, from, address);
  };
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
    useOpening,
    /** A button that opens one dialog. */
    OpenButton({ opens, address, ...button }: OpenButtonProps<Step>) {
      const open = useOpening({ opens, address });
      return <Button {...button} onClick={(event) => open(event.currentTarget)} />;
    },
  };
}
