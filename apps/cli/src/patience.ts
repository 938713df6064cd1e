import { within } from '@ceiba/schema';

const PATIENCE_MS = 5_000;

/** Waits for a server's first answer, but not for ever: a frozen one accepts connections in silence. */
export const withPatience = <T>(answer: Promise<T>): Promise<T> =>
  within(PATIENCE_MS, answer, () => {
    const code = `no answer within ${PATIENCE_MS / 1000} s`;
    return Object.assign(new Error(code), { code });
  });
