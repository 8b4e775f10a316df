import type { Command } from 'commander';
import { library } from '../../library.js';
import type { Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { jsonLine, quantity, safeLines, say, write } from '../../output/output.js';

interface CreateOptions {
  readonly slots?: number;
  readonly splits?: number;
  readonly ifMissing?: boolean;
}

/** `table create`: makes a table on HBase. */
export function addTable(program: Command, cli: Cli): void {
  const table = program
    .command('table')
    .summary('make a table on HBase')
    .description('Makes tables that are not made by their first use: those on HBase.');
  table
    .command('create <url>')
    .summary('make a table on HBase')
    .description(
      'Makes the seven tables of a crawl on HBase, with their families, and writes what a new table begins with. ' +
        'What is there already stays as it is, so it may be run again.',
    )
    .option(
      '--slots <n>',
      'into how many slots the indexes are spread, fixed from then on (default: 16)',
      wholeNumber(1),
    )
    .option('--splits <n>', 'at how many keys the tables of the indexes are split at once (default: 0)', wholeNumber(0))
    .option('--if-missing', 'leave a table that is there as it is, also with another number of slots')
    .addHelpText(
      'after',
      `
The URL is hbase://<host>:<port>,<host>:<port>/<namespace>:<prefix>, with the Thrift2 gateways of one
HBase (hbase thrift2 start -f; port 9090 may be left out, and so may the namespace default). The
tables are called <namespace>:<prefix>_webpage, and so on. Every other command takes the same URL as
--table.

At most as many shards as slots can work on a table. HBase splits tables by itself as they grow;
--splits does it from the start. Where the gateway cannot split, which none with the framed
transport could up to HBase 2.6, the lines for the HBase shell are printed to standard output. Who
may not make tables is given the lines that an operator has to run.

Slots are fixed when a table is made, so another --slots than a table has is an error. With --if-missing it
is not: that is for scripts and containers that start again and again.

Examples:
  webcrawl table create hbase://gateway1:9090,gateway2:9090/default:crawl --slots 64
  webcrawl table create hbase://gateway1/crawl --splits 15 | hbase shell -n`,
    )
    .action(async (url: string, options: CreateOptions) => {
      const { io } = cli;
      const { json, quiet } = cli.options();
      const { createTable } = await library();
      const made = await createTable({ table: url, ...options });
      if (json) return write(io.stdout, jsonLine(made));
      const { created, existing, added, shellLines, slots } = made;
      if (!quiet) {
        for (const name of created) say(io, `created ${name}`);
        for (const name of added) say(io, `added the family ${name}`);
        if (existing.length > 0) say(io, `${quantity(existing.length, 'table')} there already`);
        if (options.ifMissing && options.slots !== undefined && options.slots !== slots) {
          say(io, `It was made with ${slots} slots, and not with ${options.slots}: it keeps them.`);
        }
        say(io, `The table has ${slots} slots. Use it with --table '${url}'.`);
        if (shellLines.length > 0) say(io, 'The gateway cannot split tables. Run these lines in the HBase shell:');
      }
      if (shellLines.length > 0) await write(io.stdout, `${safeLines(shellLines.join('\n'))}\n`);
    });
}
