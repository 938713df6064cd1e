/**
 * Users choose names, callers choose paths and methods, anyone may write a file: nothing of them may
 * control the terminal. The joiners that emoji and some scripts need are kept.
 */
export const printable = (text: string) =>
  text.replace(/(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
