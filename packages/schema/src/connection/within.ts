/**
 * Settles as `work` does, or rejects after `ms` with the error that `late` creates. An answer that
 * is in the socket when the time ends is not late: the event loop may have been busy.
 */
export function within<T>(ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(late());
    const timer = setTimeout(() => setImmediate(expire), Math.max(0, ms));
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** A server accepted the connection and did not answer. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly code = this.message;
}

/** Longer than a command waits for a connection, which it may have to open for an answer. */
const PATIENCE_MS = 15_000;

/**
 * Waits for the first answers of a server: one that is frozen accepts connections and is silent.
 *
 * @throws NoAnswerError after 15 s
 */
export const withPatience = <T>(answer: Promise<T>): Promise<T> =>
  within(PATIENCE_MS, answer, () => new NoAnswerError(`no answer within ${PATIENCE_MS / 1000} s`));
