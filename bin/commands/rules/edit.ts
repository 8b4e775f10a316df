import type { Command } from 'commander';
import type { Crawl, Rule } from '../../../packages/webcrawl/index.js';
import { describeRule } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, say, write } from '../../output/output.js';

const EXEMPTION = 'also an accept rule without which others cut a seed, or every page of the table';

/** `rules enable <id…>`. */
export function addRulesEnable(program: Command, cli: Cli): void {
  program
    .command('enable')
    .summary('make rules active again')
    .description('Makes rules active again that were disabled; those that are active stay so.')
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--yes', 'also where a rule cuts a seed, or every page of the table')
    .addHelpText('after', '\nExamples:\n  webcrawl rules enable r3\n  webcrawl rules enable r3 r4')
    .action((ids: string[], { yes = false }: { yes?: boolean }) =>
      change(cli, 'enable', 'Active', async (crawl) => (await library()).rules.enable(crawl, ids, { yes })),
    );
}

/** `rules disable <id…>`. */
export function addRulesDisable(program: Command, cli: Cli): void {
  program
    .command('disable')
    .summary('have rules not be asked any more')
    .description('Disables rules: they stay in the table, and are not asked. A generated one is never generated again.')
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--yes', EXEMPTION)
    .addHelpText('after', '\nExamples:\n  webcrawl rules disable r3\n  webcrawl rules disable r3 r4')
    .action((ids: string[], { yes = false }: { yes?: boolean }) =>
      change(cli, 'disable', 'Disabled', async (crawl) => (await library()).rules.disable(crawl, ids, { yes })),
    );
}

async function change(
  cli: Cli,
  verb: string,
  done: string,
  edit: (crawl: Crawl) => Promise<readonly Rule[]>,
): Promise<void> {
  await using crawl = await open(cli, { name: `rules ${verb}` });
  const found = await edit(crawl);
  const { json, quiet } = cli.options();
  if (json) return write(cli.io.stdout, jsonLine(found));
  if (!quiet) for (const rule of found) say(cli.io, `${done}: ${rule.id} (${describeRule(rule)})`);
}

/** `rules remove <id…>`. */
export function addRulesRemove(program: Command, cli: Cli): void {
  program
    .command('remove')
    .summary('remove rules')
    .description(
      'Removes rules. Generated ones stay, disabled, so that they are not generated again; --forget removes them too.',
    )
    .argument('<id...>', 'ids, as webcrawl rules list shows them')
    .option('--forget', 'remove generated rules as well')
    .option('--yes', EXEMPTION)
    .addHelpText(
      'after',
      `
No id is given a second time. What the rule had marked or scored is taken back by webcrawl rules apply.

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
