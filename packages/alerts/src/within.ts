/** Work that did not end in time. Its message is for users. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/** The result of work, or a {@link TimeLimitError} after `ms`; the work itself is not cancelled. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const error = new TimeLimitError(`it did not end within ${ms / 1_000} seconds`);
    timer = setTimeout(() => reject(error), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
