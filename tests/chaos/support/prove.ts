import { appendFileSync } from 'node:fs';
import { createRandom, type Random } from './random.ts';
import { seed } from './size.ts';

export type Figures = Readonly<Record<string, number | string>>;

/**
 * Runs a proof with chance of its own and reports its figures.
 *
 * @throws what the proof throws, with the seed that repeats it
 */
export async function prove<F extends object>(
  name: string,
  proof: (random: Random) => Promise<F>,
): Promise<F> {
  const startedAt = performance.now();
  try {
    const figures = await proof(createRandom(`${seed} ${name}`));
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    report({ proof: name, ...figures, seconds });
    return figures;
  } catch (fault) {
    if (fault instanceof Error) fault.message += `\n(${name}, seed ${seed})`;
    throw fault;
  }
}

/** `npm run prove` collects the figures here; without it they go to the test's own output. */
function report(figures: Figures): void {
  const line = JSON.stringify({ seed, ...figures });
  if (process.env.CEIBA_PROVE_REPORT) {
    appendFileSync(process.env.CEIBA_PROVE_REPORT, `${line}\n`);
  } else {
    console.info(line);
  }
}
