'use client';

import dynamic from 'next/dynamic';
import { type ComponentType, createContext, type ReactNode, useContext, useState } from 'react';
import { type FormAction, shownWith } from '../lib/action-state.ts';

export interface ShownOnceProps<Data> {
  created: Data;
  onDone: () => void;
}

/**
 * A step that shows an action's secret in place of its page. Its component is loaded before the action
 * runs, so that the page stays small and no secret is created that could not be shown.
 *
 * @param load Loads the component.
 */
export function shownOnce<Data>(
  load: () => Promise<{ default: ComponentType<ShownOnceProps<Data>> }>,
) {
  const Shown = dynamic(load);
  const ShowContext = createContext<(created: Data) => void>(() => {});
  return {
    /** The page, or instead of it what was created. */
    Step({ children }: { children: ReactNode }) {
      const [created, setCreated] = useState<Data>();
      if (created === undefined) return <ShowContext value={setCreated}>{children}</ShowContext>;
      return <Shown created={created} onDone={() => setCreated(undefined)} />;
    },
    /** What shows the answer of the action, for components inside the step. */
    useShow: () => useContext(ShowContext),
    /** Loads the component early, for example while the user types. */
    prepare: () => void load().catch(() => {}),
    /** The action, once the component is loaded; `so` as {@link shownWith} has it. */
    before: (action: FormAction<Data>, so: string) => shownWith(load, action, so),
  };
}
