import type { Deadline } from '../deadline.ts';
import { UnavailableError } from '../unavailable.ts';

/**
 * How long before the deadline of a batch each question is answered, in ms, or half of the time that
 * is left. If both ended at once, one question that waits for an outage would take the decisions of all
 * others with it.
 */
const ANSWERED_BEFORE_MS = 20;

/** The deadline of each question of a batch. */
export function deadlineOfItems(deadline: Deadline): Deadline {
  const leftMs = deadline.remainingMs();
  return deadline.ofStep(leftMs - Math.min(ANSWERED_BEFORE_MS, leftMs / 2));
}

/**
 * What each work came to, in order: its value or its outage. Any other error is a bug, and rejects.
 *
 * @param deadline - If given, work that is not done by then is an outage.
 */
export function outcomesOf<T>(
  works: readonly (T | UnavailableError | Promise<T>)[],
  deadline?: Deadline,
): Outcomes<T> | Promise<Outcomes<T>> {
  // Most calls have one question, whose policies are in memory: they need no promise of several.
  const [only] = works;
  if (only === undefined || works.length > 1 || deadline !== undefined) {
    return outcomesOfSeveral(works, deadline);
  }
  return only instanceof Promise ? only.then(alone<T>, outageAlone) : [only];
}

type Outcomes<T> = (T | UnavailableError)[];

async function outcomesOfSeveral<T>(
  works: readonly (T | UnavailableError | Promise<T>)[],
  deadline: Deadline | undefined,
): Promise<Outcomes<T>> {
  const outcomes = new Array<T | UnavailableError>(works.length);
  const all = new Promise<void>((resolve, reject) => {
    let open = works.length;
    const keep = (place: number, outcome: T | UnavailableError) => {
      outcomes[place] = outcome;
      open -= 1;
      if (open === 0) resolve();
    };
    for (const [place, work] of works.entries()) {
      if (!(work instanceof Promise)) keep(place, work);
      else {
        work.then(
          (value) => keep(place, value),
          (error) => (error instanceof UnavailableError ? keep(place, error) : reject(error)),
        );
      }
    }
  });
  try {
    await (deadline?.race('overload', all) ?? all);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return Array.from(outcomes, (outcome, index) => (index in outcomes ? outcome : error));
  }
  return outcomes;
}

const alone = <T>(value: T): Outcomes<T> => [value];

function outageAlone(error: unknown): [UnavailableError] {
  if (error instanceof UnavailableError) return [error];
  throw error;
}
