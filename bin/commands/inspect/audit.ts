import type { Command } from 'commander';
import type { AuditRule, OpenContext } from '../../../packages/webcrawl/internal.js';
import { CrawlError, defined } from '../../../packages/webcrawl/names.js';
import { runJob, open, EXIT, type Cli } from '../../cli.js';
import { askForContact } from '../../contact.js';
import { readSeeds, reportRejections } from '../../input/seeds.js';
import { library } from '../../library.js';
import { durationInSeconds } from '../../options/arguments.js';
import { MOMENT, momentOrMark } from '../../options/moment.js';
import { addRequestOptions, requestSettings, type RequestOptions } from '../../options/request-options.js';
import { addScopeOptions, type ScopeOptions } from '../../options/scope-options.js';
import {
  AUDIT_REPORT_HELP,
  addAuditReportOptions,
  auditReportWriter,
  type AuditReportOptions,
} from '../../output/audit-report.js';
import { jsonLine, write } from '../../output/output.js';
import { table } from '../../output/table.js';
import { withProgress } from '../../output/progress.js';
import { addAuditIgnore } from './audit-ignore.js';

interface AuditOptions extends AuditReportOptions, RequestOptions, ScopeOptions {
  readonly external?: boolean;
  readonly maxTime?: number;
  readonly since?: number | string;
  readonly rules?: boolean;
}

const FACTS = { 'parser.audit': true };

export function addAudit(program: Command, cli: Cli): void {
  const command = program
    .command('audit')
    .summary('find broken links, redirects and other faults')
    .description(
      'Finds faults in the pages of a site. There is one finding for each fault, with the pages that have the link. With seeds it crawls first. ' +
        'Without seeds it checks the table as it is, and sends no requests unless --external is given.',
    )
    .argument('[seed...]', 'URLs, files of seed lines, or - for standard input')
    .option('--external', 'check links to other sites too; a link that works is checked again after a week')
    .option('--max-time <duration>', 'maximum time for requests, such as 90s, 30m or 2h', durationInSeconds)
    .option('--since <time>', `show which findings are new since this time or mark: ${MOMENT}`, momentOrMark)
    .option('--rules', 'list the rules, and how to fix what they find');
  addAuditReportOptions(addRequestOptions(addScopeOptions(command)))
    .addHelpText(
      'after',
      `
An audit is faster if pages were crawled with --set parser.audit=true. Then parse stores the facts that it reads.
With seeds, the audit sets it. With seeds it also requests URLs that a crawl does not request: images, scripts,
style sheets, links that are not followed, pages that failed once, and a random name in each folder that may
have soft 404 pages.

404 and 410 mean that a page is gone. 401 to 403, 405 to 408, 421, 425, 429, 430, 451, 999 and 520 to 530 prove
nothing: such links are reported as not verified, never as broken. Temporary failures, such as 5xx and timeouts,
count only if they happen twice. A link that was not requested is reported as not checked, with the reason: a crawl
of another process uses its host, the host is in back-off or does not respond, or --max-time was reached. If the
audit did not read every page, it says which ones and why, and orphans are inconclusive.

${AUDIT_REPORT_HELP}

Examples:
  webcrawl audit https://example.com/
  webcrawl audit https://example.com/ -o report.html --external
  webcrawl audit -o report.sarif --map https://example.com/=site/
  webcrawl audit https://example.com/ --fail-on broken,fragments
  webcrawl audit --since 7d --fail-on new:link
  webcrawl audit --rules
  webcrawl audit ignore link-broken 'https://example.com/old/*' \\
      --why 'archive' --until 2027-01-01`,
    )
    .action(async (args: string[], options: AuditOptions) => {
      const { auditRules } = await library();
      const rules = await auditRules();
      if (options.rules) return listRules(cli, rules);
      const writeReport = await auditReportWriter(cli, options, rules, options.since !== undefined);
      const { delay, agent, header, stay, depth, include, exclude } = options;
      const settings = { ...requestSettings({ delay, agent, header }), ...FACTS };
      if (args.length > 0 && !(await crawlFirst(cli, args, { stay, depth, include, exclude }, settings)))
        return undefined;
      const makesRequests = args.length > 0 || options.external === true;
      await using crawl = await (makesRequests
        ? openAlone(cli, settings)
        : open(cli, { name: 'audit', alone: false, settings }));
      await report(cli, crawl, options, args.length > 0, writeReport);
      return undefined;
    });
  addAuditIgnore(command, cli);
}

/** Opens the table, if possible for this process alone. A table of another process is read, and its hosts get no request. */
async function openAlone(cli: Cli, settings: Readonly<Record<string, unknown>>): Promise<OpenContext> {
  try {
    return await open(cli, { name: 'audit', alone: true, settings });
  } catch (error) {
    if (!(error instanceof CrawlError) || error.code !== 'TABLE_LOCKED') throw error;
    return open(cli, { name: 'audit', alone: false, settings });
  }
}

async function report(
  cli: Cli,
  crawl: OpenContext,
  { external = false, since, maxTime }: AuditOptions,
  ask: boolean,
  writeReport: Awaited<ReturnType<typeof auditReportWriter>>,
): Promise<void> {
  const { audit } = await library();
  const { signal } = cli.io;
  try {
    await using found = await withProgress(cli, cli.options().quiet === true, (job) =>
      audit(crawl, { ask, external, ...job, ...defined({ maxSeconds: maxTime, since }) }),
    );
    await writeReport(crawl, found);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    cli.exitCode = EXIT.interrupted;
  }
}

/**
 * Crawls from the seeds, and marks pages with the same content.
 * @returns whether there are pages to audit
 */
async function crawlFirst(
  cli: Cli,
  args: readonly string[],
  scope: { readonly [K in keyof ScopeOptions]: ScopeOptions[K] | undefined },
  settings: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const seeds = readSeeds(cli, args, settings);
  const { lines, isArgument } = seeds;
  const given = Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined)) as ScopeOptions;
  // Standard output is only for the report of the audit.
  const crawling: Cli = { io: cli.io, options: () => ({ ...cli.options(), json: false }), exitCode: EXIT.done };
  const { interrupted } = await runJob(
    crawling,
    'crawl',
    async (crawl, job, { jobs }) => {
      askForContact(cli, crawl);
      const crawled = await jobs.crawl(crawl, {
        seeds: lines,
        retryDenied: isArgument,
        onRejected: reportRejections(cli.io, seeds),
        ...given,
        ...job,
      });
      if (!crawled.interrupted) await jobs.dedup(crawl, job);
      return crawled;
    },
    { create: true, settings },
  );
  cli.exitCode = crawling.exitCode;
  return !interrupted && cli.exitCode === EXIT.done;
}

async function listRules(cli: Cli, rules: readonly AuditRule[]): Promise<void> {
  if (cli.options().json) {
    for (const rule of rules) await write(cli.io.stdout, jsonLine(rule));
    return;
  }
  await write(cli.io.stdout, table(rules.map(({ id, group, severity, title }) => [id, group, severity, title])));
}
