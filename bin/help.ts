import { Command, Help, type AddHelpTextContext, type AddHelpTextPosition, type HelpContext } from 'commander';
import { CrawlError } from '../packages/webcrawl/names.js';
import { hangOf, wrapLines } from './output/output.js';

const RENAMED: Readonly<Record<string, string>> = {
  stats: 'prefixes',
  tell: 'unignore',
  '--help-all': '--help',
  '--host': '--listen or --allowed-host',
  '--watch': '--continuous',
};

/** A command with two helps: `--help` has everything; `-h` omits the notes, and the options of a command that has commands. */
export class HelpfulCommand extends Command {
  #examples = '';
  #notes = '';
  #isShort = false;

  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  /** @throws CrawlError USAGE with a hint at the help of this command */
  override error(message: string): never {
    const [, name = ''] = /^error: unknown (?:option|command) '(.+?)'/.exec(message) ?? [];
    const problem = Object.hasOwn(RENAMED, name) ? `${name} is now called ${RENAMED[name]}` : inOurWords(message);
    throw new CrawlError('USAGE', problem, { hint: helpHint(this) });
  }

  /**
   * Shows the short help on standard output if the name of a command is missing. This is no error.
   * @throws CrawlError USAGE for `help` with an unknown command
   */
  override help(context?: HelpContext | ((text: string) => string)): never {
    this.#isShort = typeof context === 'object' && context.error === true;
    const [command, unknown] = this.args;
    if (this.#isShort && command === 'help' && unknown !== undefined) this.error(`error: unknown command '${unknown}'`);
    return super.help();
  }

  /** Adds notes to the end of the help. A part that begins with `Examples:` is shown before the options. */
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string | undefined),
  ): this {
    if (position !== 'after' || typeof text !== 'string') return super.addHelpText(position, text as string);
    const [notes = '', examples = ''] = text.split(/^(?=Examples:$)/m, 2);
    this.#examples = examples.trimEnd();
    this.#notes = notes.trim();
    return this;
  }

  helpWith(isShort: boolean): Partial<Help> {
    const plain = new Help();
    const globals = this.options.map(({ short, long }) => short ?? long).filter((name) => name !== '-V');
    return {
      sortSubcommands: false,
      minWidthToWrap: 20,
      visibleCommands: (command) =>
        plain.visibleCommands(command).filter((one) => !command.parent || one.name() !== 'help'),
      subcommandTerm: (command) => plain.subcommandTerm(command).replace(' [options]', ''),
      formatHelp(command, helper) {
        const [head = '', ...sections] = plain.formatHelp.call(this, command, helper).split(/^(?=\S.*:$)/m);
        const options = sections.filter((section) => section.startsWith('Options:'));
        const others = sections.filter((section) => !section.startsWith('Options:'));
        const { parent } = command;
        const width = helper.helpWidth ?? Infinity;
        const own = command as HelpfulCommand;
        const all =
          isShort || own.#isShort
            ? [
                ...[head, own.#examples, ...others, ...(command.commands.length > 0 ? [] : options)],
                `${pathOf(command)} --help shows more.`,
              ]
            : [
                ...[head, own.#examples, ...others, ...options],
                wrapLines(parent ? `Global options: ${globals.join(' ')} (webcrawl --help)` : '', width),
                wrapLines(reflowed(own.#notes), width),
              ];
        return `${all
          .map((part) => part.trimEnd())
          .filter((part) => part !== '')
          .join('\n\n')}\n`;
      },
    };
  }
}

/** Joins the lines of each paragraph and of each item of a list. An item continues in lines that are indented as its text. */
function reflowed(text: string): string {
  const items: string[] = [];
  for (const line of text.split('\n')) {
    const last = items.at(-1) ?? '';
    const indent = line.search(/\S/);
    const hang = hangOf(last);
    if (last !== '' && indent === hang && (hang === 0 || last.search(/\S/) < hang))
      items[items.length - 1] += ` ${line.trim()}`;
    else items.push(line);
  }
  return items.join('\n');
}

/** The hint for wrong usage of a command. */
export const helpHint = (command: Command): string => `see \`${pathOf(command)} --help\``;

function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function inOurWords(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. /s, '$1 $2: ')
    .replace(/^command-argument value '(.*)' is invalid for argument '(.*)'\. /s, '$2 $1: ')
    .replace(/Allowed choices are (.*)\.$/, 'not one of $1');
}
