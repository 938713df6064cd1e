import { expect } from 'vitest';
import { chargeScriptText } from '../../../apps/runtime/src/limiter/charge-script.ts';
import { trimScriptText } from '../../../apps/runtime/src/usage/sweep.ts';
import { mutantsOf } from '../support/lua-mutants.ts';
import type { Random } from '../support/random.ts';
import { scriptHistory } from '../support/script-histories.ts';
import type { ScriptJudge, ScriptTexts } from '../support/script-judge.ts';
import { EQUIVALENTS } from './script-equivalents.ts';

const SHIPPED: ScriptTexts = { charge: chargeScriptText(), trim: trimScriptText() };

/** The same histories in every run, so that a mutant is always caught. */
const HISTORIES_A_MUTANT = 400;

/** The scripts match the reference in every step of `times` histories. */
export async function proveScripts(judge: ScriptJudge, histories: number, random: Random) {
  const figures = { histories: 0, calls: 0, allowed: 0, reseeds: 0, trims: 0 };
  const seed = random.int(0, 2 ** 31);
  for (let number = 0; number < histories; number++) {
    const history = scriptHistory(`${seed} ${number}`);
    expect(await judge.difference(SHIPPED, history)).toBeNull();
    figures.histories += 1;
    for (const step of history) {
      if (step.kind === 'put') continue;
      const { reply } = step.expected;
      figures[step.script === 'charge' ? 'calls' : 'trims'] += 1;
      if (!Array.isArray(reply)) continue;
      figures.allowed += reply.filter((part) => part === 'allowed').length;
      figures.reseeds += reply.filter((part) => part === 'reseed').length;
    }
  }
  return figures;
}

/**
 * Every mutant of the scripts differs from the reference, or is explained.
 *
 * @param isFull also tries the explained mutants, and reports those that are caught
 * @returns how many mutants were tried, and which survived without an explanation
 */
export async function proveMutantsOfScripts(judge: ScriptJudge, isFull: boolean) {
  const histories = Array.from({ length: HISTORIES_A_MUTANT }, (_, number) =>
    scriptHistory(`mutants ${number}`),
  );
  const isCaught = async (texts: ScriptTexts) => {
    for (const [place, history] of histories.entries()) {
      if ((await judge.difference(texts, history)) === null) continue;
      // What catches one mutant most likely catches the next, which is of the same line.
      histories.unshift(...histories.splice(place, 1));
      return true;
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
  // An explanation of a mutant that is caught, or of a removed line, is an error.
  expect([...explained].filter((name) => !names.has(name) || caught.includes(name))).toEqual([]);
  return { mutants: names.size, caught: caught.length, explained: explained.size };
}
