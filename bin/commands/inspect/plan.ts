import type { Command } from 'commander';
import type { PlanOptions } from '../../../packages/webcrawl/internal.js';
import { defined } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, open, type Cli } from '../../cli.js';
import { wholeNumber } from '../../options/arguments.js';
import { planText } from '../../output/hosts-text.js';
import { jsonLine, write } from '../../output/output.js';

export function addPlan(program: Command, cli: Cli): void {
  program
    .command('plan')
    .summary('show what the next rounds will request')
    .description(
      'Simulates generate and fetch on the current table. It shows which pages the next rounds will select, the number of requests ' +
        'to each host, the minimum time, and which pages are left out and why. It writes nothing, and sends no requests. Exits with 1 when ' +
        'nothing is due.',
    )
    .option('--rounds <n>', 'number of rounds to look ahead (default: 1)', wholeNumber(1))
    .option('--top-n <n>', 'maximum number of pages in a round (default: all due pages)', wholeNumber(1))
    .option('--top <n>', 'number of queues to list, the slowest first (default: 20)', wholeNumber(1))
    .addHelpText('after', HELP)
    .action((options: Pick<PlanOptions, 'rounds' | 'topN' | 'top'>) => showPlan(cli, options));
}

const HELP = `
The slowest queue decides how long a round takes, since its pages are requested one after the other, with a
delay. A plan cannot know new links and redirects, failures, or a robots.txt that is not stored yet. Use the
same --set as for the crawl.

Excluded pages are skipped by generate, with the reasons in docs/REFERENCE.md. "Not requested" are selected pages
that get a result without a request, such as robots_denied.

Examples:
  webcrawl plan
  webcrawl plan --rounds 5 --top-n 1000
  webcrawl plan --set fetcher.serverDelay=2
  webcrawl plan --json | jq '.rounds[0].seconds'`;

async function showPlan(cli: Cli, { rounds, topN, top }: Pick<PlanOptions, 'rounds' | 'topN' | 'top'>): Promise<void> {
  const { io } = cli;
  await using crawl = await open(cli, { name: 'plan' });
  const { plan } = await library();
  try {
    const found = await plan(crawl, { ...defined({ rounds, topN, top }), signal: io.signal });
    await write(io.stdout, cli.options().json ? jsonLine(found) : planText(found));
    if (found.rounds.length === 0) cli.exitCode = EXIT.nothing;
  } catch (error) {
    if (!io.signal.aborted || error !== io.signal.reason) throw error;
    cli.exitCode = EXIT.interrupted;
  }
}
