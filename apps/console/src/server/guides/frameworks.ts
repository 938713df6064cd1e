import type { Framework } from '../../lib/host-snippets.ts';
import type { Guide } from './guide.ts';

const FILE = /^\/\/ (\S+)\n/;
const CALL = /^curl .*localhost:\d+(\/\S*)$/;
/** The file of the client, which most hosts import; the guide to the SDK has it. */
const CLIENT = 'ceiba.mjs';

/**
 * The frameworks that the guides have: of each guide the files before its first heading, and the commands
 * that run them and call the host.
 *
 * @throws {Error} for a guide without them
 */
export function frameworksOf(guides: readonly Guide[]): Framework[] {
  const client = guides.flatMap(filesOf).find(({ name }) => name === CLIENT);
  return guides.flatMap((guide) => {
    if (!guide.isFramework) return [];
    const { slug, title } = guide;
    const own = filesOf(guide);
    const importsClient = own.some(({ code }) => code.includes(`'./${CLIENT}'`));
    const lines = beginningOf(guide).flatMap((block) =>
      block.kind === 'code' && block.language === 'sh' ? block.code.trim().split('\n') : [],
    );
    const path = lines.flatMap((line) => CALL.exec(line)?.[1] ?? [])[0];
    if (path === undefined || own.length === 0 || client === undefined) {
      throw new Error(`the guide ${slug} has no files, or no command that calls its host`);
    }
    const commands = lines
      .filter((line) => !CALL.test(line))
      // It stays in the foreground, in a terminal of its own.
      .map((line) => line.replace(/ &$/, ''));
    return { slug, name: title, files: importsClient ? [client, ...own] : own, commands, path };
  });
}

const beginningOf = ({ blocks }: Guide) => {
  const end = blocks.findIndex(({ kind }) => kind === 'heading');
  return end === -1 ? blocks : blocks.slice(0, end);
};

const filesOf = (guide: Guide) =>
  (guide.isFramework ? beginningOf(guide) : guide.blocks).flatMap((block) => {
    const name = block.kind === 'code' ? FILE.exec(block.code)?.[1] : undefined;
    return block.kind !== 'code' || name === undefined ? [] : [{ name, code: block.code }];
  });
