import { Argument, type Command, type Option } from 'commander';
import type { Cli } from '../cli.js';
import { write } from '../output/output.js';

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export function addCompletion(program: Command, { io }: Cli): void {
  program
    .command('completion')
    .summary('print a script for completion in a shell')
    .description('Prints a script by which a shell completes the commands, options and values of webcrawl.')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(Object.keys(SHELLS)))
    .addHelpText(
      'after',
      `
Examples:
  source <(webcrawl completion bash)      # in ~/.bashrc
  source <(webcrawl completion zsh)       # in ~/.zshrc, after compinit
  webcrawl completion fish | source       # in ~/.config/fish/config.fish`,
    )
    .action((shell: keyof typeof SHELLS) => write(io.stdout, SHELLS[shell](wordsOf(program))));
}

/**
 * The words that may follow a command, such as ` export pages`, or an option with a value, such as ` crawl --stay`, each with its meaning.
 * If there are no words, the shell completes files.
 */
type Words = ReadonlyMap<string, readonly (readonly [word: string, about: string])[]>;

function wordsOf(command: Command, path = '', globals: readonly Option[] = []): Words {
  const help = command.createHelp();
  const own = help.visibleOptions(command);
  const options = [...own, ...globals].flatMap((option) =>
    [option.short, option.long].flatMap((name) => (name === undefined ? [] : [{ name, option }])),
  );
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((choice) => [choice, description] as const),
  );
  const commands = help.visibleCommands(command);
  const names = commands.map((one) => [one.name(), help.subcommandDescription(one)] as const);
  return new Map([
    [path, [...names, ...choices, ...options.map(({ name, option }) => [name, option.description] as const)]],
    ...options.flatMap(({ name, option: { required, optional, argChoices = [] } }) =>
      required || optional ? [[`${path} ${name}`, argChoices.map((choice) => [choice, ''] as const)] as const] : [],
    ),
    ...commands.flatMap((one) => [
      ...wordsOf(one, `${path} ${one.name()}`, command.parent ? globals : command.options),
    ]),
    ...(command.parent ? [] : [[' help', names] as const]),
  ]);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const isOption = (key: string): boolean => / -[^ ]*$/.test(key);
const commandsIn = (words: Words): string[] =>
  [...words.keys()].filter((key) => key !== '' && !isOption(key)).map(quoted);
const optionsIn = (words: Words): string[] => [...words.keys()].filter(isOption).map(quoted);

/** Returns a function for bash and zsh that sets `found` to the words, as `word:about`, that may follow its arguments. */
function posixWords(words: Words): string {
  const cases = [...words].map(
    ([key, list]) =>
      `    ${quoted(key)}) found=(${list.map(([word, about]) => quoted(`${word}:${about}`)).join(' ')}) ;;\n`,
  );
  return `_webcrawl_words() {
  local at= word= value=
  found=()
  for word in "$@"; do
    if [ -n "$value" ]; then value=; continue; fi
    case "$at $word" in
      ${commandsIn(words).join('|')}) at="$at $word" ;;
      ${optionsIn(words).join('|')}) value=" $word" ;;
    esac
  done
  case "$at$value" in
${cases.join('')}  esac
}
`;
}

function bashScript(words: Words): string {
  return `${posixWords(words)}_webcrawl() {
  local found IFS=$'\\n'
  _webcrawl_words "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "\${found[*]%%:*}" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _webcrawl webcrawl
`;
}

function zshScript(words: Words): string {
  return `${posixWords(words)}_webcrawl() {
  local -a found
  _webcrawl_words "\${(@)words[2,CURRENT-1]}"
  _describe webcrawl found || _files
}
compdef _webcrawl webcrawl
`;
}

function fishScript(words: Words): string {
  const cases = [...words].map(
    ([key, list]) =>
      `    case ${quoted(key)}\n${list.map(([word, about]) => `      echo ${quoted(`${word}\t${about}`)}\n`).join('')}`,
  );
  return `function __webcrawl_words
  set -l at ''
  set -l value
  for word in (commandline -opc)[2..-1]
    if test -n "$value"
      set value
    else if contains -- "$at $word" ${commandsIn(words).join(' ')}
      set at "$at $word"
    else if contains -- "$at $word" ${optionsIn(words).join(' ')}
      set value " $word"
    end
  end
  switch "$at$value"
${cases.join('')}  end
end
complete -c webcrawl -a '(__webcrawl_words)'
complete -c webcrawl -f -n '__webcrawl_words | string match -qrv "^-"'
`;
}
