import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Guide {
  readonly text: string;
  /**
   * The code of a block. A block of shell commands is named by its comment on the first line; of the
   * blocks of another language, `name` is a text that only one contains.
   */
  block(language: string, name: string): string;
}

/** A guide of `docs/`, whose commands a test runs as they are. */
export function readGuide(path: string): Guide {
  const text = readFileSync(fileURLToPath(new URL(`../../docs/${path}`, import.meta.url)), 'utf8');
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
    ([, language = '', code = '']) => ({ language, code }),
  );
  return {
    text,
    block(language, name) {
      const found = blocks.filter(
        (block) =>
          block.language === language &&
          (language === 'sh' ? block.code.startsWith(`# ${name}\n`) : block.code.includes(name)),
      );
      if (found.length !== 1 || found[0] === undefined) {
        throw new Error(`${path} has ${found.length} blocks of ${language} named "${name}"`);
      }
      return found[0].code;
    },
  };
}
