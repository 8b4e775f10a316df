import { Option, type Command } from 'commander';
import { eachGiven, wholeNumber } from './arguments.js';

/** The options of verbs that say how far a crawl goes from its seeds. */
export interface ScopeOptions {
  readonly depth?: number;
  readonly stay?: 'host' | 'domain' | 'path' | 'any';
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

/** Adds them. */
export function addScopeOptions(command: Command): Command {
  return command
    .option('--depth <n>', 'links from a seed at the most', wholeNumber(0))
    .addOption(
      new Option('--stay <where>', "follow links within the seeds' hosts, domains or folders (path), or to any place")
        .choices(['host', 'domain', 'path', 'any'])
        .default('host'),
    )
    .option('--include <pattern>', 'only pages whose URL holds this pattern; may be given many times', eachGiven)
    .option('--exclude <pattern>', 'no page whose URL holds this pattern; may be given many times', eachGiven);
}
