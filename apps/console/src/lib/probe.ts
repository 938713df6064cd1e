/**
 * What no client sends by mistake: a dot segment, also encoded once or twice, a backslash, or a control
 * character. An empty segment or an encoded slash is not among them: clients that join addresses send those.
 */
const PROBE =
  /\/(?:\.|%(?:25)?2e){1,2}(?=[/\\?]|%(?:25)?(?:2f|5c)|$)|\\|%5c|%(?:[01][0-9a-f]|7f)|[^ -\uffff]|\u007f/i;

/** Whether a recorded path was sent to find a way around the rules for paths. */
export const isProbe = (path: string | null): boolean => path !== null && PROBE.test(path);
