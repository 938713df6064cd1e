import dynamic from 'next/dynamic';

/** Loaded with its dialog, to keep the page small. The dialog works where it cannot be loaded. */
export const StillUsed = dynamic(() =>
  import('./still-used.tsx').then(
    (file) => file.StillUsed,
    () => () => null,
  ),
);
