import { Command, Help, type AddHelpTextContext, type AddHelpTextPosition, type Option } from 'commander';
import { CrawlError } from '../packages/webcrawl/names.js';

/** The option that shows the help with all options and texts. `--help` omits the rare options. */
export const HELP_ALL = '--help-all';

const OF_SELECTIONS = ['--fetched-before', '--due-before', '--rejected'];
const OF_EXPORTS = ['--limit', '--shard', ...OF_SELECTIONS];

/** Rarely used options, by command. README, START and GUIDE use none of them. Options of the program are under its own name. */
export const RARE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  webcrawl: ['--verbose'],
  crawl: ['--rounds', '--top-n', '--threads', '--port', '--host', '--changes', '--header', '--log'],
  inject: ['--shard'],
  generate: ['--max-count', '--no-filter', '--batch', '--shard'],
  fetch: ['--delay', '--agent', '--header', '--log', '--shard'],
  parse: ['--force', '--shard'],
  updatedb: ['--shard'],
  rounds: [
    '--parallel',
    '--template',
    '--logs',
    '--threads',
    '--include',
    '--exclude',
    '--delay',
    '--agent',
    '--header',
  ],
  readdb: ['--force', ...OF_SELECTIONS],
  pages: OF_EXPORTS,
  chunks: OF_EXPORTS,
  warc: OF_EXPORTS,
  wacz: OF_EXPORTS,
  krake: OF_SELECTIONS,
  graph: ['--raw', '--prefix'],
  index: ['--forget', '--shard'],
  serve: ['--changes'],
  remove: OF_SELECTIONS,
  propose: ['--list', '--numbers'],
};

/** A command whose help has its own order: first examples, then the usual options, and notes at the end. */
export class HelpfulCommand extends Command {
  #examples = '';

  override createCommand(name?: string): Command {
    return new HelpfulCommand(name);
  }

  /** @throws CrawlError USAGE with a hint at the help of this command */
  override error(message: string): never {
    const names = [this.name()];
    for (let { parent } = this; parent; parent = parent.parent) names.unshift(parent.name());
    const what = this.commands.length > 0 ? 'commands' : 'options';
    throw new CrawlError('USAGE', message.replace(/^error: /, ''), {
      hint: `${names.join(' ')} --help lists its ${what}`,
    });
  }

  /** Adds text to the help. If a text for the end has a part that begins with `Examples:`, this part is shown before the options. */
  override addHelpText(
    position: AddHelpTextPosition,
    text: string | ((context: AddHelpTextContext) => string | undefined),
  ): this {
    if (position !== 'after' || typeof text !== 'string') return super.addHelpText(position, text as string);
    const [notes = '', examples = ''] = text.split(/^(?=Examples:$)/m, 2);
    this.#examples = examples.trimEnd();
    return notes.trim() === '' ? this : super.addHelpText('after', `\n${notes.trim()}`);
  }

  /** @param all whether rare options are shown too */
  helpWith(all: boolean): Partial<Help> {
    const isShown = (command: Command, { long }: Option): boolean =>
      all || !(RARE_OPTIONS[command.name()] ?? []).includes(long ?? '');
    const plain = new Help();
    return {
      showGlobalOptions: true,
      sortSubcommands: false,
      visibleOptions: (command) => plain.visibleOptions(command).filter((option) => isShown(command, option)),
      visibleGlobalOptions: (command) =>
        plain.visibleGlobalOptions
          .call({ ...plain, showGlobalOptions: true }, command)
          .filter((option) => isShown(this, option)),
      formatHelp(command, helper) {
        const text = plain.formatHelp.call(this, command, helper);
        const examples = command instanceof HelpfulCommand ? command.#examples : '';
        if (examples === '') return text;
        const options = text.search(/^\S.*:$/m);
        return `${text.slice(0, options)}${examples}\n\n${text.slice(options)}`;
      },
    };
  }
}
