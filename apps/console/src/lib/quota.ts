/** From this part on a quota counts as nearly used, wherever it is shown. */
export const NEARLY_USED = 0.8;
