import { Argument, type Command } from 'commander';
import { COMPLETION_SCRIPTS } from '../completion/scripts.ts';
import { wordsOf } from '../completion/words.ts';
import type { World } from '../world.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `ceiba completion`: what makes a shell complete the words of every command. */
export function completionCommand(program: Command, world: World): void {
  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      '\nWrite it to a file that the shell reads:' +
        '\n  ceiba completion bash > ~/.local/share/bash-completion/completions/ceiba' +
        '\n  ceiba completion zsh > ~/.ceiba.zsh, and in ~/.zshrc after compinit: source ~/.ceiba.zsh' +
        '\n  ceiba completion fish > ~/.config/fish/completions/ceiba.fish',
    )
    .action((shell: (typeof SHELLS)[number]) => {
      world.stdout.write(COMPLETION_SCRIPTS[shell](wordsOf(program)));
    });
}
