import type { CommandWords, OptionWords } from './words.ts';

/*
 * A script for each shell. It holds the words of all commands, so nothing starts the program while a
 * user types, and no list is kept in step by hand.
 */

export const COMPLETION_SCRIPTS = {
  bash: bashFunction,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit
${bashFunction(commands)}`,
  fish: fishScript,
} as const satisfies Record<string, (commands: readonly CommandWords[]) => string>;

/** No name of a variable may be one that zsh gives a meaning, such as path. */
function bashFunction(commands: readonly CommandWords[]): string {
  return `_ceiba() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local at=ceiba word words=''
  for word in "\${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
    case "$at $word" in
      ${pathsBelow(commands).map(quoted).join(' | ')}) at="$at $word" ;;
    esac
  done
  case "$at $previous" in
${commands.flatMap(bashValues).join('\n')}
    *)
      case "$at" in
${commands.map(bashWords).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _ceiba ceiba
`;
}

/** What completes the value of an option that takes one. */
function bashValues({ path, options }: CommandWords): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map((option) => {
      const before = namesOf(option).map((name) => quoted(`${path} ${name}`));
      return `    ${before.join(' | ')}) ${bashValue(option)} ;;`;
    });
}

function bashValue({ value }: OptionWords): string {
  if (value === 'file') return BASH_FILES;
  return typeof value === 'string' ? 'return' : `words=${quoted(value.join(' '))}`;
}

const BASH_FILES =
  'compopt -o filenames 2> /dev/null; COMPREPLY=($(compgen -f -- "$current")); return';

function bashWords({ path, words: following, options, takesFile }: CommandWords): string {
  const words = [...following.map(({ name }) => name), ...options.map(({ long }) => long)];
  const files = takesFile ? `if [[ "$current" != -* ]]; then ${BASH_FILES}; fi; ` : '';
  return `        ${quoted(path)}) ${files}words=${quoted(words.join(' '))} ;;`;
}

function fishScript(commands: readonly CommandWords[]): string {
  return `function __ceiba_at
    set -l at ceiba
    for word in (commandline -opc)[2..]
        if contains -- "$at $word" ${pathsBelow(commands).map(quoted).join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv"
end
complete -c ceiba -f
${commands.flatMap(fishLines).join('\n')}
`;
}

function fishLines({ path, words, options, takesFile }: CommandWords): string[] {
  const here = `complete -c ceiba -n ${quoted(`__ceiba_at ${path}`)}`;
  return [
    ...(takesFile ? [`${here} -F`] : []),
    ...words.map(({ name, description }) => `${here} -a ${name} -d ${quoted(description)}`),
    ...options.map((option) => {
      const names = namesOf(option).map((name) =>
        name.replace(/^--/, '-l ').replace(/^-(?=\w$)/, '-s '),
      );
      return `${here} ${names.join(' ')}${fishValue(option)} -d ${quoted(option.description)}`;
    }),
  ];
}

function fishValue({ value }: OptionWords): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return typeof value === 'string' ? ' -x' : ` -x -a ${quoted(value.join(' '))}`;
}

const pathsBelow = (commands: readonly CommandWords[]) => commands.slice(1).map(({ path }) => path);
const namesOf = ({ long, short }: OptionWords) => (short === undefined ? [long] : [long, short]);

/** In single quotes, for each of the shells: bash and zsh have no escape inside of them. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
