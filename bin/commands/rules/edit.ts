import type { Command } from 'commander';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';

const EXEMPTION = 'proceed even if other rules then reject a seed, or every page';

export function addRulesEnable(program: Command, cli: Cli): void {
  program
    .command('enable')
    .summary('make rules active again')
    .description('Makes disabled rules active again; active rules stay active.')
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--yes', 'enable rules even if they reject a seed, or every page of the table')
    .addHelpText('after', '\nExamples:\n  webcrawl rules enable r3\n  webcrawl rules enable r3 r4')
    .action((ids: string[], { yes = false }: { yes?: boolean }) => change(cli, 'enable', 'Active', ids, yes));
}

export function addRulesDisable(program: Command, cli: Cli): void {
  program
    .command('disable')
    .summary('stop using rules, and keep them in the table')
    .description(
      'Disables rules: they stay in the table without any effect. A disabled generated rule is not generated again.',
    )
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--yes', EXEMPTION)
    .addHelpText('after', '\nExamples:\n  webcrawl rules disable r3\n  webcrawl rules disable r3 r4')
    .action((ids: string[], { yes = false }: { yes?: boolean }) => change(cli, 'disable', 'Disabled', ids, yes));
}

async function change(
  cli: Cli,
  verb: 'enable' | 'disable',
  done: string,
  ids: readonly string[],
  yes: boolean,
): Promise<void> {
  await using crawl = await open(cli, { name: `rules ${verb}` });
  const { rules } = await library();
  const found = await rules[verb](crawl, ids, { yes });
  const { json, quiet } = cli.options();
  if (json) return write(cli.io.stdout, jsonLine(found));
  if (!quiet) for (const rule of found) say(cli.io, `${done}: ${rule.id} (${describeRule(rule)})`);
}

export function addRulesRemove(program: Command, cli: Cli): void {
  program
    .command('remove')
    .summary('remove rules')
    .description(
      'Removes rules. Generated rules stay, disabled, so that they are not generated again; --forget removes them too.',
    )
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--forget', 'remove generated rules as well')
    .option('--yes', EXEMPTION)
    .addHelpText(
      'after',
      `
Ids are not used twice. webcrawl rules apply removes the marks and the score of a removed rule.

Examples:
  webcrawl rules remove r3
  webcrawl rules remove r7 --forget`,
    )
    .action(async (ids: string[], { forget = false, yes = false }: { forget?: boolean; yes?: boolean }) => {
      await using crawl = await open(cli, { name: 'rules remove' });
      const { rules } = await library();
      const found = await rules.remove(crawl, ids, { forget, yes });
      const { json, quiet } = cli.options();
      if (json) return write(cli.io.stdout, jsonLine(found));
      if (quiet) return;
      for (const rule of found.removed) say(cli.io, `Removed: ${rule.id} (${describeRule(rule)})`);
      for (const rule of found.disabled) {
        say(
          cli.io,
          `Disabled: ${rule.id} (${describeRule(rule)}), which stays so that it is not generated again; --forget removes it.`,
        );
      }
    });
}
