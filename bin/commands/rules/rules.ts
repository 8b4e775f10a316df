import type { Command } from 'commander';
import type { Cli } from '../../cli.js';
import { addRulesAdd } from './add.js';
import { addRulesApply } from './apply.js';
import { addRulesDisable, addRulesEnable, addRulesRemove } from './edit.js';
import { addRulesExport, addRulesImport } from './import-export.js';
import { addRulesList } from './list.js';
import { addRulesPropose } from './propose.js';
import { addRulesReport } from './report.js';
import { addRulesShow } from './show.js';
import { addRulesTest } from './test.js';

export function addRules(program: Command, cli: Cli): void {
  const rules = program
    .command('rules')
    .summary('decide which URLs are relevant or rejected')
    .description(
      'Manages the URL rules of the table. You may change rules in another terminal while a crawl runs; the crawl uses a change within two seconds.',
    )
    .addHelpText('after', HELP);
  for (const add of [
    addRulesAdd,
    addRulesList,
    addRulesShow,
    addRulesTest,
    addRulesReport,
    addRulesDisable,
    addRulesEnable,
    addRulesRemove,
    addRulesApply,
    addRulesPropose,
    addRulesImport,
    addRulesExport,
  ]) {
    add(rules, cli);
  }
}

const HELP = `
Kinds:
  relevant   relevant URLs: they get a better score (scoring.relevant.score), and come first
  reject     URLs that are not added to the table, and are no longer fetched
  accept     exceptions: URLs that are added, although a reject rule of the same or a wider scope matches
  www        how the host of a domain is written: with www or without

Among accept and reject rules the first match decides. Rules are sorted by scope (host, domain, all hosts), then
rules made by hand before generated ones, then accept before reject, then by age. A generated rule rejects no
page that a relevant rule matches.

Examples:
  webcrawl rules add relevant '/20\\d\\d/\\d\\d/[^/?]+$' --regex \\
      --domain news.example
  webcrawl rules add reject /tag/ --host www.news.example
  webcrawl rules add www without --domain news.example
  webcrawl rules list`;
