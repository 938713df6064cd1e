/** The look of the summary that shows the rest of something long. */
export const FOLD_SUMMARY =
  'w-fit cursor-pointer rounded text-small font-medium text-muted hover:text-ink';
