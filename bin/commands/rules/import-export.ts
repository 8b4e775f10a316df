import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { readLines } from '../../input/input.js';
import { withOutput, type OutputOptions } from '../../output/with-output.js';
import { showAdded } from './add.js';

export function addRulesImport(program: Command, cli: Cli): void {
  program
    .command('import')
    .summary('add the rules of a file, all or none')
    .description(
      'Adds the rules of a file of JSON Lines, as webcrawl rules export writes them. If a line is wrong, no rule is added, and the message names the line.',
    )
    .argument('<file>', 'file of rules, or - for standard input')
    .option('--yes', 'add the rules even if they reject a seed, or every page of the table')
    .addHelpText(
      'after',
      `
A line is an object with kind, scope (*, host:<name> or domain:<name>) and pattern ({"prefix": …} or {"regex": …}).
Kind www has to (with or without) instead of pattern. note, state, origin and evidence are optional. Rules get
new ids, and existing rules are skipped.

Examples:
  webcrawl rules import rules.jsonl
  webcrawl rules export | webcrawl rules import - --table level:./other`,
    )
    .action(async (file: string, { yes = false }: { yes?: boolean }) => {
      await using crawl = await open(cli, { name: 'rules import', create: true });
      const { rules } = await library();
      const added = await rules.import(crawl, linesOf(cli, file), { yes });
      await showAdded(cli, added);
      if (added.added.length === 0) cli.exitCode = EXIT.nothing;
    });
}

function linesOf({ io }: Cli, file: string): AsyncIterable<string> {
  if (file === '-') return readLines(io.stdin, 'standard input');
  return readLines(createReadStream(file), file);
}

export function addRulesExport(program: Command, cli: Cli): void {
  program
    .command('export')
    .summary('print all rules as JSON Lines')
    .description('Prints all rules as JSON Lines, disabled ones too, for webcrawl rules import and other programs.')
    .option('--output <file>', 'write to this file; it appears under this name when it is complete')
    .option('--force', 'replace the file of --output if it already exists')
    .addHelpText(
      'after',
      '\nExamples:\n  webcrawl rules export > rules.jsonl\n  webcrawl rules export --output rules.jsonl',
    )
    .action(async (options: OutputOptions) => {
      await using crawl = await open(cli, { name: 'rules export' });
      await withOutput(cli, crawl, options, async (put) => {
        const { rules } = await library();
        for await (const line of rules.export(crawl)) await put(`${line}\n`);
      });
    });
}
