/**
 * Runs something whose counts have to fall into one UTC minute, and runs it once more where the
 * minute turned meanwhile. `work` starts from nothing each time.
 */
export async function withinOneMinute<T>(work: () => Promise<T>): Promise<T> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const startedIn = minute();
  try {
    const result = await work();
    if (minute() === startedIn) return result;
  } catch (fault) {
    if (minute() === startedIn) throw fault;
  }
  return work();
}
