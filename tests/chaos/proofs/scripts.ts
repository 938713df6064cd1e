import { expect } from 'vitest';
import { chargeScriptText } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { trimScriptText } from '../../../apps/runtime/src/usage/sweep.ts';
import { mutantsOf } from '../support/lua-mutants.ts';
import type { Random } from '../support/random.ts';
import { scriptHistory } from '../support/script-histories.ts';
import type { ScriptJudge, ScriptTexts } from '../support/script-judge.ts';
import { EQUIVALENTS } from './script-equivalents.ts';

const SHIPPED: ScriptTexts = { charge: chargeScriptText(), trim: trimScriptText() };

/** The same ones in every run: whether a mutant is caught must not be left to chance. */
const HISTORIES_A_MUTANT = 400;

/** The scripts do what the reference does, in every step of as many histories. */
export async function proveScripts(judge: ScriptJudge, histories: number, random: Random) {
  const figures = { histories: 0, charges: 0, admitted: 0, reseeds: 0, trims: 0 };
  const course = random.int(0, 2 ** 31);
  for (let number = 0; number < histories; number++) {
    const history = scriptHistory(`${course} ${number}`);
    expect(await judge.difference(SHIPPED, history)).toBeNull();
    figures.histories += 1;
    for (const step of history) {
      if (step.kind === 'put') continue;
      const { reply } = step.expected;
      const outcome = Array.isArray(reply) ? reply[0] : '';
      figures[step.script === 'charge' ? 'charges' : 'trims'] += 1;
      if (outcome === 'allowed') figures.admitted += 1;
      if (outcome === 'reseed') figures.reseeds += 1;
    }
  }
  return figures;
}

/**
 * Every mutant of the scripts does something else than the reference, or is explained.
 *
 * @param isFull Also finds the explained ones that are caught after all.
 * @returns how many mutants were tried, and what survived without an explanation
 */
export async function proveMutantsOfScripts(judge: ScriptJudge, isFull: boolean) {
  const histories = Array.from({ length: HISTORIES_A_MUTANT }, (_, number) =>
    scriptHistory(`mutants ${number}`),
  );
  const isCaught = async (texts: ScriptTexts) => {
    for (const history of histories) {
      if ((await judge.difference(texts, history)) !== null) return true;
    }
    return false;
  };
  const mutants = (['charge', 'trim'] as const).flatMap((script) =>
    mutantsOf(`${script}.lua`, SHIPPED[script]).map((mutant) => ({ script, ...mutant })),
  );
  const explained = new Set(EQUIVALENTS.flatMap(({ mutants }) => mutants));
  const caught: string[] = [];
  const survivors: string[] = [];
  for (const { script, name, text } of mutants) {
    if (explained.has(name) && !isFull) continue;
    const isOne = await isCaught({ ...SHIPPED, [script]: text });
    (isOne ? caught : survivors).push(name);
  }
  const names = new Set(mutants.map(({ name }) => name));
  expect(survivors.filter((name) => !explained.has(name))).toEqual([]);
  // An explanation of what is caught, or of a line that is gone, explains nothing.
  expect([...explained].filter((name) => !names.has(name) || caught.includes(name))).toEqual([]);
  return { mutants: names.size, caught: caught.length, explained: explained.size };
}
