import type { Command } from 'commander';
import { library } from '../../library.js';
import { open, type Cli } from '../../cli.js';
import { jsonLine, write, duration, number, quantity, safeLines } from '../../output/output.js';
import type { CrawlStatus, FetchingStatus, JobFailure, Progress } from '../../../packages/webcrawl/internal.js';
import { sectionNote } from '../../output/section-note.js';
import { table } from '../../output/table.js';

export function addStatus(program: Command, cli: Cli): void {
  program
    .command('status')
    .summary('show the progress of a crawl, or what is left')
    .description(
      'Shows the job that another process runs on the table: time, pages, speed, errors, requests in flight, hosts that wait, and ' +
        'hosts that are set aside, in a long back-off. If no job runs, it shows the due pages and the time of the last fetch. It also shows the number of pages in the ' +
        'search index, and of batches that wait for webcrawl index. It costs a running crawl almost nothing.',
    )
    .addHelpText(
      'after',
      `
Examples:
  webcrawl status
  webcrawl status --json | jq '.jobs[0].rate'
  watch -n 5 webcrawl status`,
    )
    .action(async () => {
      await using crawl = await open(cli, { name: 'status' });
      const { status } = await library();
      const found = await status(crawl);
      await write(cli.io.stdout, cli.options().json ? jsonLine(found) : statusText(found));
    });
}

export function statusText(status: CrawlStatus): string {
  const { owner, jobs, failing = [], due, batches, inInboxes = 0, lastFetch, now } = status;
  const where = owner
    ? `The table is open in process ${owner.pid} (${owner.name}).`
    : status.workers
      ? `${quantity(working(status), 'worker')} of the table, without this process.`
      : 'No process has the table open.';
  const rows = [
    ['rows due', `${number(due.count)}${due.more ? ' and more' : ''}`],
    ['open batches', number(batches.length)],
    ...batches.map(({ batchId, state, size }) => [`  ${batchId}`, `${state}, ${quantity(size, 'page')}`]),
    ...(inInboxes > 0 ? [['entries in inboxes', number(inInboxes)]] : []),
    ...(lastFetch && jobs.length === 0 ? [['last fetch', lastFetchText(lastFetch, now, owner !== undefined)]] : []),
    ...indexRows(status),
    ...workerRows(status),
  ];
  return safeLines(
    [where, ...failing.map((each) => failingText(each, now)), ...jobs.map(jobText), table(rows).trimEnd(), ''].join(
      '\n',
    ),
    1000,
  );
}

function working({ workers = [] }: CrawlStatus): number {
  return workers.filter(({ state }) => state === 'working').length;
}

/** Returns a row for each worker of a shared table that has not ended, the latest first. */
function workerRows({ workers = [] }: CrawlStatus): string[][] {
  return workers
    .filter(({ state }) => state !== 'ended')
    .sort((a, b) => a.heardOf - b.heardOf)
    .slice(0, MAX_WORKERS)
    .map(({ name, state, heardOf, jobs }) => {
      const what = jobs.map(
        ({ job, batchId, done }) => `${job}${batchId === undefined ? '' : ` ${batchId}`}, ${number(done)} done`,
      );
      const last =
        state === 'silent'
          ? `no sign of life for ${duration(heardOf)}: killed, or cannot reach the store; its last step was `
          : '';
      return [`  ${name}`, `${last}${what.join('; ') || 'nothing'}`];
    });
}

const MAX_WORKERS = 50;

function indexRows({ index, indexProblem, batchesToIndex = 0, now }: CrawlStatus): string[][] {
  const rows: string[][] = [];
  if (index) {
    const { documents, changedAt } = index;
    const changed = changedAt > 0 ? `, changed ${duration((now - changedAt) / 1000)} ago` : '';
    rows.push(['search index', `${quantity(documents, 'page')}${changed}`]);
  }
  if (indexProblem) {
    const { code, hint } = indexProblem;
    rows.push(['search index', `cannot be used: ${code}${hint === undefined ? '' : `; ${hint}`}`]);
  }
  if (batchesToIndex > 0) rows.push(['batches to index', number(batchesToIndex)]);
  return rows;
}

function failingText({ job, message, hint, times, since }: JobFailure, now: number): string {
  const what = `${job} has failed ${quantity(times, 'time')} in ${duration((now - since) / 1000)}; it is retried: ${message}`;
  return hint === undefined ? what : `${what}\n${hint}`;
}

function jobText(progress: Progress): string {
  const { job, batchId, round, done, total, toGo, rate = 0, seconds = 0, counters, errors, fetching } = progress;
  const failed = Object.values(errors).reduce((sum, n) => sum + n, 0);
  const others = Object.entries(counters).filter(([reason]) => !(reason in errors));
  const rows = [
    ['elapsed', duration(seconds)],
    ...(round ? [['round', number(round)]] : []),
    ['done', total === undefined ? number(done) : `${number(done)} of ${number(total)}`],
    ...(toGo === undefined ? [] : [['to go', number(toGo)]]),
    ['rate', `${number(rate, 1)}/s over the last 10 s, ${number(seconds > 0 ? done / seconds : 0, 1)}/s in all`],
    ['failed', number(failed)],
    ...counterRows(Object.entries(errors)),
    ...(fetching ? fetchingRows(fetching) : []),
    ...(others.length > 0 ? [['counters', ''], ...counterRows(others)] : []),
  ];
  return `\n${job}${batchId === undefined ? '' : ` ${batchId}`}\n${table(rows, { indent: '  ' })}`;
}

function fetchingRows({
  inFlight,
  threads,
  waiting,
  setAside,
  pages,
  hosts,
  largeSection,
}: FetchingStatus): string[][] {
  return [
    ...(largeSection ? [['most pages', sectionNote(largeSection)]] : []),
    ['in flight', `${number(inFlight)} of ${number(threads)}`],
    ...pages.map(({ url, seconds }) => [`  ${duration(seconds)}`, url]),
    ['hosts waiting', number(waiting)],
    ['hosts set aside', number(setAside)],
    ...hosts.map(({ host, seconds, code }) => [`  ${host}`, `${code}, for ${duration(seconds)}`]),
  ];
}

function counterRows(counters: readonly (readonly [string, number])[]): string[][] {
  return [...counters].sort(([, a], [, b]) => b - a).map(([reason, count]) => [`  ${reason}`, number(count)]);
}

function lastFetchText({ state, at }: NonNullable<CrawlStatus['lastFetch']>, now: number, isHeld: boolean): string {
  const ago = `${duration((now - at) / 1000)} ago`;
  if (state === 'ended') return `ended ${ago}`;
  return `began ${ago}${isHeld ? '' : ', and was stopped before its end; the same command continues'}`;
}
