const PATIENCE_MS = 5_000;

/**
 * Waits for a server's first answer, but not for ever: one that is frozen accepts connections and
 * says nothing, and one of several hosts is tried again without end.
 */
export async function withPatience<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new NoAnswerError()), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

class NoAnswerError extends Error {
  readonly code = `no answer within ${PATIENCE_MS / 1000} s`;

  constructor() {
    super(`no answer within ${PATIENCE_MS / 1000} s`);
  }
}
