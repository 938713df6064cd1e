/**
 * Settles as `work` does, or rejects after `ms` with what `late` makes. An answer that already lies
 * in the socket when the time is over is not late: a busy event loop reads it first.
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
