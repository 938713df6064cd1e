import { appendFileSync } from 'node:fs';
import { createRandom, type Random } from './random.ts';
import { seed } from './size.ts';

export type Figures = Readonly<Record<string, number | string>>;

/**
 * Runs a proof with its own random choices and reports its figures.
 *
 * @throws the error of the proof, with the seed that repeats it
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
  } catch (error) {
    if (error instanceof Error) error.message += `\n(${name}, seed ${seed})`;
    throw error;
  }
}

/** `npm run prove` collects the figures in this file; otherwise they are in the test's output. */
function report(figures: Figures): void {
  const line = JSON.stringify({ seed, ...figures });
  if (process.env.CEIBA_PROVE_REPORT) {
    appendFileSync(process.env.CEIBA_PROVE_REPORT, `${line}\n`);
  } else {
    console.info(line);
  }
}
