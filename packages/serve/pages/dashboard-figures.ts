import type { JobTotals } from '../../core/index.js';
import { figures } from '../../util/index.js';
import { pageJobs, type Sample } from '../live/history.js';
import type { Reading } from '../live/stats.js';
import { html, type Html } from '../http/html.js';
import type { CrawlStatus } from '../source.js';
import { chartPaths } from './chart.js';
import { shownUrl } from './untrusted.js';

const { bytes, duration, number } = figures;

/** All changing parts of the dashboard, by their names in the page. The script of the page inserts each part at its place. */
export interface DashboardFigures {
  /** `running`, `idle`, or `lost` if the table does not respond. */
  readonly state: string;
  readonly texts: Readonly<Record<string, string>>;
  /** Names of the charts for screen readers, which describe the values. */
  readonly labels: Readonly<Record<string, string>>;
  readonly paths: Readonly<Record<string, string>>;
  /** true for a chart whose values are all 0. Such a chart is hidden. */
  readonly flat: Readonly<Record<string, boolean>>;
  readonly rows: Readonly<Record<string, string>>;
}

export const UNKNOWN = '–';

export const TILES = [
  ['done', 'Pages done'],
  ['rate', 'Pages per second'],
  ['received', 'Received'],
  ['failed', 'Failed'],
  ['due', 'Due'],
  ['inFlight', 'In flight'],
  ['waiting', 'Hosts waiting'],
  ['setAside', 'Hosts set aside'],
  ['round', 'Round'],
  ['elapsed', 'Running for'],
  ['documents', 'Pages in the index'],
  ['memory', 'Memory'],
] as const;

export const CHARTS = [
  { id: 'rate', name: 'Pages per second', of: (s: Sample) => s.rate, text: (n: number) => `${number(n, 1)}/s` },
  { id: 'byteRate', name: 'Received per second', of: (s: Sample) => s.byteRate, text: (n: number) => `${bytes(n)}/s` },
  {
    id: 'errorRate',
    name: 'Failed per second',
    of: (s: Sample) => s.errorRate,
    text: (n: number) => `${number(n, 1)}/s`,
  },
  { id: 'memory', name: 'Memory', of: (s: Sample) => s.memory, text: bytes },
] as const;

/** The tables with their columns. A table without rows is hidden. */
export const TABLES = [
  { id: 'errors', name: 'Errors by reason', columns: ['Reason', 'Pages'] },
  { id: 'pages', name: 'In flight for longest', columns: ['Page', 'For'] },
  { id: 'hosts', name: 'Hosts set aside', columns: ['Host', 'Reason', 'For'] },
  { id: 'batches', name: 'Open batches', columns: ['Batch', 'State', 'Pages'] },
  { id: 'disk', name: 'Disk', columns: ['Part', 'Size'] },
  { id: 'outcomes', name: 'What was counted', columns: ['Counter', 'Number'] },
] as const;

const toIndex = (batches: number): string =>
  batches === 0 ? '' : ` + ${number(batches)} ${batches === 1 ? 'batch' : 'batches'}`;

/** Returns the figures of a reading as texts. An unknown figure is a dash. */
export function dashboardFigures({ status, problem }: Reading, samples: readonly Sample[]): DashboardFigures {
  const paths: Record<string, string> = {};
  const labels: Record<string, string> = {};
  const flat: Record<string, boolean> = {};
  const texts: Record<string, string> = {
    ...(status && tilesOf(status)),
    state: stateText(status, problem?.message),
    since: sinceText(status),
  };
  const span = samples.length > 1 ? (samples.at(-1)!.at - samples[0]!.at) / 1000 : 0;
  for (const { id, name, of, text } of CHARTS) {
    const { line, area, most } = chartPaths(samples.map(of));
    paths[`${id}-line`] = line;
    paths[`${id}-area`] = area;
    flat[id] = most === 0;
    const now = text(samples.length > 0 ? of(samples.at(-1)!) : 0);
    texts[`${id}-now`] = now;
    texts[`${id}-most`] = `most ${text(most)}`;
    texts[`${id}-span`] = span > 0 ? `the last ${duration(Math.round(span))}` : 'from now on';
    labels[id] = `${name}: now ${now}, at most ${text(most)} in the last ${duration(Math.round(span))}`;
  }
  const isRunning = status !== undefined && status.jobs.length > 0;
  return {
    state: problem ? 'lost' : isRunning ? 'running' : 'idle',
    texts,
    labels,
    paths,
    flat,
    rows: status ? rowsOf(status) : {},
  };
}

function tilesOf(status: CrawlStatus): Record<string, string> {
  const { jobs, due, memory, index, batchesToIndex = 0 } = status;
  const shown = shownJobs(status);
  const done = sum(shown.map((job) => job.done));
  const fetching = jobs.map((job) => job.fetching).filter((each) => each !== undefined);
  const failed = sum(shown.flatMap(({ errors }) => Object.values(errors)));
  const received = sum(shown.map((job) => job.bytes ?? 0));
  const round = jobs.find((job) => job.round !== undefined)?.round;
  const total = jobs.length === 1 ? jobs[0]!.total : undefined;
  const each = (of: (status: (typeof fetching)[number]) => number): number => sum(fetching.map(of));
  return {
    done: total === undefined ? number(done) : `${number(done)} of ${number(total)}`,
    rate: jobs.length > 0 ? number(sum(pageJobs(jobs, status).map(({ rate = 0 }) => rate)), 1) : UNKNOWN,
    received: bytes(received),
    failed: number(failed),
    due: `${number(due.count)}${due.more ? '+' : ''}`,
    inFlight: fetching.length > 0 ? `${number(each((f) => f.inFlight))} of ${number(each((f) => f.threads))}` : UNKNOWN,
    waiting: fetching.length > 0 ? number(each((f) => f.waiting)) : UNKNOWN,
    setAside: fetching.length > 0 ? number(each((f) => f.setAside)) : UNKNOWN,
    round: round === undefined ? UNKNOWN : number(round),
    elapsed: jobs.length > 0 ? duration(Math.max(...jobs.map(({ seconds = 0 }) => seconds))) : UNKNOWN,
    documents: index ? `${number(index.documents)}${toIndex(batchesToIndex)}` : UNKNOWN,
    memory: bytes(memory.resident),
  };
}

/** Returns the jobs whose figures are shown: the running jobs that process pages; or if none is running, the sums of past jobs. */
function shownJobs(
  status: CrawlStatus,
): readonly (Pick<JobTotals, 'done' | 'counters' | 'errors'> & { bytes?: number })[] {
  const running = pageJobs(status.jobs, status);
  if (running.length > 0) return running;
  return pageJobs(
    Object.entries(status.totals).map(([job, counts]) => ({ job, ...counts })),
    status,
  );
}

function stateText(status: CrawlStatus | undefined, problem: string | undefined): string {
  if (problem !== undefined) return `The table cannot be read now: ${problem}`;
  if (!status) return 'Not known yet';
  const { jobs, owner, failing = [] } = status;
  const fails = failing.map(({ job, code }) => `; ${job} fails (${code}), and is tried again`).join('');
  if (jobs.length === 0) return `Nothing is running${fails}`;
  return `Running: ${jobs.map(({ job }) => job).join(', ')}${owner ? ` in process ${owner.pid}` : ''}${fails}`;
}

/**
 * Returns how long ago the last page was fetched. The text is separate from the state, because the text changes every second, and screen
 * readers announce each change of the state.
 */
function sinceText(status: CrawlStatus | undefined): string {
  if (!status || status.jobs.length > 0) return '';
  const { lastFetch, now } = status;
  if (!lastFetch) return 'Nothing was fetched yet.';
  const ago = duration(Math.max(0, Math.round((now - lastFetch.at) / 1000)));
  if (lastFetch.state === 'ended') return `The last fetch ended ${ago} ago.`;
  return `A fetch that began ${ago} ago was stopped before its end; the same command continues.`;
}

function rowsOf(status: CrawlStatus): Record<string, string> {
  const { jobs, batches, disk } = status;
  const shown = shownJobs(status);
  const errors = counted(shown.map((job) => job.errors));
  const failures = new Set(errors.map(([reason]) => reason));
  const outcomes = counted(shown.map((job) => job.counters)).filter(([reason]) => !failures.has(reason));
  const fetching = jobs.flatMap((job) => job.fetching ?? []);
  const parts = Object.entries({ ...disk });
  const index = status.index && !disk?.index ? [['index', status.index.bytes] as const] : [];
  return {
    errors: rows(errors.map(([reason, n]) => [inWords(reason), number(n)])),
    outcomes: rows(outcomes.map(([reason, n]) => [inWords(reason), number(n)])),
    pages: rows(fetching.flatMap(({ pages }) => pages.map(({ url, seconds }) => [shownUrl(url), duration(seconds)]))),
    hosts: rows(
      fetching.flatMap(({ hosts }) => hosts.map(({ host, code, seconds }) => [host, code, duration(seconds)])),
    ),
    batches: rows(batches.slice(0, MAX_ROWS).map(({ batchId, state, size }) => [batchId, state, number(size)])),
    disk: rows([...parts.filter(([, size]) => size > 0), ...index].map(([part, size]) => [part, bytes(size)])),
  };
}

const MAX_ROWS = 20;

/** Shows the name of a counter as words for people. The title attribute has the name itself, as in docs/REFERENCE.md. */
function inWords(counter: string): Html {
  const text = counter.replace(/^plugin_error_(?=.)/, 'errors of ').replace(/rejected_(?=.)/, 'rejected by ');
  return html`<span title="${counter}"
    >${text.replace(/^[^-]*$|^[a-z_ ]+/, (words) => words.replaceAll('_', ' '))}</span
  >`;
}

/** Returns the sums of several sets of counters, the largest first. */
function counted(counters: readonly Readonly<Record<string, number>>[]): [string, number][] {
  const all = new Map<string, number>();
  for (const each of counters)
    for (const [reason, n] of Object.entries(each)) all.set(reason, (all.get(reason) ?? 0) + n);
  return [...all].sort(([, a], [, b]) => b - a);
}

function rows(cells: readonly (readonly (string | Html)[])[]): string {
  return html`${cells.map(
    ([head = '', ...rest]) =>
      html`<tr>
        <th scope="row"><bdi>${head}</bdi></th>
        ${rest.map((cell) => html`<td>${cell}</td>`)}
      </tr>`,
  )}`.toString();
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
