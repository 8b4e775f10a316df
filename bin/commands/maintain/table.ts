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

export function addTable(program: Command, cli: Cli): void {
  const table = program
    .command('table')
    .summary('make a table on HBase')
    .description(
      'Makes tables on HBase, which must exist before their first use. All other tables are made when they are first used.',
    );
  table
    .command('create <url>')
    .summary('make a table on HBase')
    .description(
      'Makes the seven tables of a crawl on HBase, with their families, and writes the entries that a new table needs. ' +
        'Existing tables stay as they are, so it may be run again.',
    )
    .option(
      '--slots <n>',
      'number of slots of the indexes, which cannot be changed later (default: 16)',
      wholeNumber(1),
    )
    .option(
      '--splits <n>',
      'number of keys at which each index table is split when it is made (default: 0)',
      wholeNumber(0),
    )
    .option('--if-missing', 'keep an existing table, even if its number of slots differs from --slots')
    .addHelpText(
      'after',
      `
The URL is hbase://<host>:<port>,<host>:<port>/<namespace>:<prefix>, with the Thrift2 gateways of one
HBase (hbase thrift2 start -f; the defaults are port 9090 and the namespace default). The
tables are called <namespace>:<prefix>_webpage, and so on. Every other command takes the same URL as
--table.

The number of slots is the maximum number of shards. HBase splits tables as they grow; --splits splits them from
the start. A framed gateway up to HBase 2.6 cannot split tables. Then the command prints lines for the HBase shell
to standard output. If you have no right to make tables, it prints the lines that an operator has to run.

The number of slots of a table cannot be changed, so another number in --slots is an error. With --if-missing,
--slots is then ignored; this is for scripts and containers that restart.

Examples:
  webcrawl table create hbase://gateway1:9090,gateway2:9090/default:crawl \\
      --slots 64
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
          say(
            io,
            `The table was made with ${slots} slots, and this cannot be changed; --slots ${options.slots} has no effect.`,
          );
        }
        say(io, `The table has ${slots} slots. Use it with --table '${url}'.`);
        if (shellLines.length > 0) say(io, 'The gateway cannot split tables. Run these lines in the HBase shell:');
      }
      if (shellLines.length > 0) await write(io.stdout, `${safeLines(shellLines.join('\n'))}\n`);
    });
}
