import { Option, type Command } from 'commander';
import type { CrawlOptions } from '../../packages/webcrawl/internal.js';
import { eachGiven, wholeNumber } from './arguments.js';

export type ScopeOptions = Pick<CrawlOptions, 'depth' | 'stay' | 'include' | 'exclude'>;

export function addScopeOptions(command: Command): Command {
  return command
    .option('--depth <n>', 'maximum number of links from a seed', wholeNumber(0))
    .addOption(
      new Option(
        '--stay <where>',
        "follow only links within the seeds' hosts (any port), domains or folders (path); any: follow all links",
      )
        .choices(['host', 'domain', 'path', 'any'])
        .default('host'),
    )
    .option(
      '--include <pattern>',
      'crawl only pages whose URL matches this pattern; may be given many times',
      eachGiven,
    )
    .option('--exclude <pattern>', 'skip pages whose URL matches this pattern; may be given many times', eachGiven);
}
