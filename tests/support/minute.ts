/**
 * Runs something whose counts have to fall into one UTC minute, and runs it once more where the
 * minute turned meanwhile. `work` starts from nothing each time.
 */
export const withinOneMinute = <T>(work: () => Promise<T>): Promise<T> => withinOne(60_000, work);

/** As {@link withinOneMinute}, for what has to fall into one UTC day. */
export const withinOneDay = <T>(work: () => Promise<T>): Promise<T> => withinOne(86_400_000, work);

async function withinOne<T>(spanMs: number, work: () => Promise<T>): Promise<T> {
  const present = () => Math.floor(Date.now() / spanMs);
  const startedIn = present();
  try {
    const result = await work();
    if (present() === startedIn) return result;
  } catch (fault) {
    if (present() === startedIn) throw fault;
  }
  return work();
}
