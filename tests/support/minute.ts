/**
 * Runs `work`, whose counts have to be in one UTC minute, and repeats it once if the minute ended
 * meanwhile. `work` must not depend on an earlier run.
 */
export const withinOneMinute = <T>(work: () => Promise<T>): Promise<T> => withinOne(60_000, work);

/** The same for counts that have to be in one UTC day. */
export const withinOneDay = <T>(work: () => Promise<T>): Promise<T> => withinOne(86_400_000, work);

async function withinOne<T>(spanMs: number, work: () => Promise<T>): Promise<T> {
  const present = () => Math.floor(Date.now() / spanMs);
  const startedIn = present();
  try {
    const result = await work();
    if (present() === startedIn) return result;
  } catch (error) {
    if (present() === startedIn) throw error;
  }
  return work();
}
