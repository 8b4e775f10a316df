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

/** `rules …`: rules on URLs that are changed while a crawl runs. */
export function addRules(program: Command, cli: Cli): void {
  const rules = program
    .command('rules')
    .summary('say which URLs are worth having, while the crawl runs')
    .description(
      'Rules on URLs in the table. They may be changed while a crawl runs, also from another terminal: it takes them within a second or two.',
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
  useful   URLs that are worth having: they get a better score (scoring.fit.score), and come first
  reject   URLs that are not taken, and not fetched any more
  accept   URLs that are taken all the same: exemptions from what is rejected for as many hosts, or more
  www      how the host of a domain is written: with www or without

Of accept and reject the first that matches decides: rules of a host before those of a domain before
those of all, then those made by hand before generated ones, then accept before reject, then the older.
A generated rule refuses nothing that a useful rule matches.

Examples:
  webcrawl rules add useful '/20\\d\\d/\\d\\d/[^/?]+$' --regex --domain news.example
  webcrawl rules add reject /tag/ --host www.news.example
  webcrawl rules add www without --domain news.example
  webcrawl rules list`;
