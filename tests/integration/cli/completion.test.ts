import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCeiba } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'ceiba-completion-'));
mkdirSync(join(folder, 'a folder'));
writeFileSync(join(folder, 'ceiba.yaml'), '');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runs = (shell: string) => spawnSync(shell, ['-c', 'exit'], { stdio: 'ignore' }).status === 0;
const env = { PATH: process.env.PATH, HOME: folder };

/** What each shell completes a line to; the last word is the one at the cursor. */
const COMPLETES = {
  bash: (script: string, words: readonly string[]) => asked('bash', ['--norc'], script, words),
  zsh: (script: string, words: readonly string[]) =>
    // zsh itself leaves out what does not begin with the word at the cursor.
    asked(
      'zsh',
      ['-f'],
      `autoload -U compinit && compinit -C -d ~/.zcompdump\n${script}\nemulate ksh`,
      words,
    ).filter((word) => word.startsWith(words.at(-1) ?? '')),
  fish: (script: string, words: readonly string[]) =>
    execFileSync('fish', ['--no-config', '-c', `${script}\ncomplete -C "$argv"`, words.join(' ')], {
      cwd: folder,
      env,
      encoding: 'utf8',
    })
      .split('\n')
      .map((line) => line.split('\t')[0] ?? ''),
} as const;

/** Calls the function as the shell does when a user presses Tab. */
function asked(shell: string, args: string[], script: string, words: readonly string[]): string[] {
  const call = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _ceiba ceiba "" ""; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync(shell, [...args, '-c', `${script}\n${call}`, shell, ...words], {
    cwd: folder,
    env,
    encoding: 'utf8',
  }).split('\n');
}

describe.each(['bash', 'zsh', 'fish'] as const)('ceiba completion %s', (shell) => {
  let script: string;
  const completed = (...words: string[]) =>
    COMPLETES[shell](script, words)
      .filter((word) => word !== '')
      .sort();
  beforeAll(async () => {
    const { code, stdout } = await runCeiba(['completion', shell]);
    expect(code).toBe(0);
    script = stdout;
  });

  test.skipIf(!runs(shell))('completes commands, and the commands below them', () => {
    expect(completed('ceiba', 'ow')).toEqual(['owner']);
    expect(completed('ceiba', 'owner', 's')).toEqual(['set-password']);
    expect(completed('ceiba', 'key', '')).toEqual(
      expect.arrayContaining(['archive', 'create', 'disable', 'enable', 'list', 'revoke']),
    );
    expect(completed('ceiba', 'project', '')).not.toContain('create');
    expect(completed('ceiba', 'completion', 'f')).toEqual(['fish']);
  });

  test.skipIf(!runs(shell))('completes the options of the command alone', () => {
    expect(completed('ceiba', 'apply', '--')).toEqual(
      expect.arrayContaining(['--dry-run', '--file', '--json', '--prune', '--secret-file']),
    );
    expect(completed('ceiba', 'key', 'revoke', '--y')).toEqual(['--yes']);
    expect(completed('ceiba', 'key', 'disable', '--y')).toEqual([]);
    expect(completed('ceiba', 'key', 'revoke', '--json', '--k')).toEqual(['--key']);
  });

  test.skipIf(!runs(shell))('completes the value of an option: one of a list, or a file', () => {
    expect(completed('ceiba', 'key', 'list', '--status', 're')).toEqual(['revoked']);
    expect(completed('ceiba', 'usage', '--by', 'p')).toEqual(['policy']);
    for (const option of ['-f', '--file']) {
      expect(completed('ceiba', 'apply', option, 'ceiba.y')).toEqual(['ceiba.yaml']);
    }
    expect(completed('ceiba', 'usage', '--project', 'ce')).toEqual([]);
    expect(completed('ceiba', 'customer', 'list', '--status', 's')).toEqual(['suspended']);
    expect(completed('ceiba', 'customer', 'import', 'ceiba.y')).toEqual(['ceiba.yaml']);
    expect(completed('ceiba', 'customer', 'import', '--d')).toEqual(['--dry-run']);
  });
});

describe('ceiba completion', () => {
  test('refuses another shell, and names those that it knows', async () => {
    const { code, stderr } = await runCeiba(['completion', 'tcsh']);
    expect(code).toBe(2);
    expect(stderr).toContain('Allowed choices are bash, zsh, fish');
  });

  test.skipIf(!runs('bash'))('is registered for the name of the program', async () => {
    const { stdout } = await runCeiba(['completion', 'bash']);
    const shown = execFileSync('bash', ['--norc', '-c', `${stdout}\ncomplete -p ceiba`], {
      env,
      encoding: 'utf8',
    });
    expect(shown).toBe('complete -F _ceiba ceiba\n');
  });
});
