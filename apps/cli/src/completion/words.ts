import type { Command, Option } from 'commander';

/** What can follow a command. */
export interface CommandWords {
  /** Its words from the program's name on, such as `ceiba key create`. */
  path: string;
  /** Subcommands, and the values of an argument. */
  words: { name: string; description: string }[];
  options: OptionWords[];
  /** Whether its argument is a file. */
  takesFile: boolean;
}

export interface OptionWords {
  /** Such as `--file`. */
  long: string;
  /** Such as `-f`. */
  short: string | undefined;
  description: string;
  /** What its value is: there is none, a file, one of a list, or what no shell can know. */
  value: 'none' | 'file' | 'unknown' | readonly string[];
}

/** The words of a program and of all its subcommands. */
export function wordsOf(command: Command, parent = ''): CommandWords[] {
  const help = command.createHelp();
  const path = `${parent}${command.name()}`;
  const subcommands = help.visibleCommands(command).filter((sub) => sub.name() !== 'help');
  const own = {
    path,
    words: [
      ...subcommands.map((sub) => ({ name: sub.name(), description: sub.description() })),
      ...command.registeredArguments.flatMap(({ argChoices = [], description }) =>
        argChoices.map((name) => ({ name, description })),
      ),
    ],
    options: help.visibleOptions(command).flatMap(optionWords),
    takesFile: command.registeredArguments.some((argument) => argument.name() === 'file'),
  };
  return [own, ...subcommands.flatMap((sub) => wordsOf(sub, `${path} `))];
}

function optionWords({ long, short, description, argChoices, required, flags }: Option) {
  if (!long) return [];
  const ofArgument = argChoices ?? (flags.endsWith('<path>') ? 'file' : 'unknown');
  const value: OptionWords['value'] = required ? ofArgument : 'none';
  return [{ long, short, description, value }];
}
