import type PromClient from 'prom-client';
import { CrawlError, optionalPackage } from '../../errors/index.js';
import type { Reading } from './stats.js';

export interface Metrics {
  responded(route: string, status: number, seconds: number): void;
  refused(reason: string): void;
  text(reading: Reading): Promise<{ readonly body: string; readonly type: string }>;
}

/**
 * Makes the metrics. If the package `prom-client` is not installed, `text` rejects with MISSING_PACKAGE and a hint with the command that
 * installs the package.
 */
export async function createMetrics(): Promise<Metrics> {
  try {
    return metricsBy((await optionalPackage('prom-client', '/metrics', () => import('prom-client'))).default);
  } catch (error) {
    if (!(error instanceof CrawlError)) throw error;
    return { responded: () => undefined, refused: () => undefined, text: () => Promise.reject(error) };
  }
}

/** Makes the metrics in a separate registry. The number of time series is bounded, because no label contains a host or a URL. */
function metricsBy({ Counter, Gauge, Histogram, Registry }: typeof PromClient): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name: `webcrawl_${name}`, help, labelNames, registers });
  /** Metrics without labels. Those without a known value are left out, and not 0. */
  const plain: PromClient.Gauge[] = [];
  const figure = (name: string, help: string): PromClient.Gauge => {
    const made = gauge(name, help);
    plain.push(made);
    return made;
  };
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `webcrawl_${name}_total`, help, labelNames, registers });

  const up = figure('up', '1 if the table could be read, else 0.');
  const running = gauge('job_running', '1 for each running job.', ['job']);
  const failing = gauge('job_failing', 'Number of successive failures of a job that a crawl runs beside it.', ['job']);
  const done = counter('job_rows', 'Rows that jobs have processed since the table was opened.', ['job']);
  const counted = counter('job_events', 'Counters of jobs since the table was opened.', ['job', 'counter']);
  const errors = counter('errors', 'Pages that failed since the table was opened, by reason.', ['job', 'reason']);
  const received = counter('received_bytes', 'Bytes of bodies received since the table was opened.', ['job']);
  const round = figure('round', 'The current round of the crawl.');
  const inFlight = figure('pages_in_flight', 'Pages that are being fetched and parsed.');
  const threads = figure('fetch_threads', 'Pages that may be in flight.');
  const waiting = figure('queues_waiting', 'Hosts, domains or IPs with pages that wait for their delay.');
  const setAside = figure('hosts_set_aside', 'Hosts whose back-off is longer than a fetch waits.');
  const due = figure('pages_due', 'Pages that are due and in no batch.');
  const batches = figure('batches_open', 'Batches that hold pages.');
  const toIndex = figure('batches_to_index', 'Updated batches that wait for the index.');
  const disk = gauge('disk_bytes', 'Bytes on the disk, by part of the table.', ['part']);
  const usable = figure('index_usable', '1 if the search index can be used, else 0. Absent if there was no index yet.');
  const documents = figure('index_documents', 'Pages in the search index.');
  const indexBytes = figure('index_bytes', 'Bytes of the search index.');
  const resident = figure('resident_memory_bytes', 'Memory of the process that has the table open.');
  const heap = figure('heap_bytes', 'Memory of JavaScript objects in the process that has the table open.');
  const opened = figure('start_time_seconds', 'Time when the table was opened, in seconds since the epoch.');
  const lastFetch = figure(
    'last_fetch_time_seconds',
    'Time when the last fetch began or ended, in seconds since the epoch.',
  );
  const workers = gauge('workers', 'Other processes that worked on the table within the last hour, by state.', [
    'state',
  ]);
  const requests = counter('http_requests', 'Requests that this server has handled.', ['path', 'code']);
  const refusals = counter('http_refused', 'Connections that this server has refused.', ['reason']);
  const times = new Histogram({
    name: 'webcrawl_http_request_duration_seconds',
    help: 'Time from a request to its response.',
    labelNames: ['path'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  const labelled = [running, failing, done, counted, errors, received, disk, workers];

  function fill({ status, problem }: Reading): void {
    for (const metric of labelled) metric.reset();
    for (const metric of plain) metric.remove();
    up.set(problem || !status ? 0 : 1);
    if (!status) return;
    for (const [job, totals] of Object.entries(status.totals)) {
      done.inc({ job }, totals.done);
      received.inc({ job }, totals.bytes);
      for (const [name, n] of Object.entries(totals.counters)) counted.inc({ job, counter: name }, n);
      for (const [reason, n] of Object.entries(totals.errors)) errors.inc({ job, reason }, n);
    }
    for (const metric of [inFlight, threads, waiting, setAside])
      if (status.jobs.some(({ fetching }) => fetching)) metric.set(0);
    for (const { job, round: at, fetching } of status.jobs) {
      running.set({ job }, 1);
      if (at !== undefined) round.set(at);
      if (!fetching) continue;
      inFlight.inc(fetching.inFlight);
      threads.inc(fetching.threads);
      waiting.inc(fetching.waiting);
      setAside.inc(fetching.setAside);
    }
    for (const { job, times } of status.failing ?? []) failing.set({ job }, times);
    due.set(status.due.count);
    batches.set(status.batches.length);
    if (status.batchesToIndex !== undefined) toIndex.set(status.batchesToIndex);
    for (const [part, size] of Object.entries({ ...status.disk })) disk.set({ part }, size);
    if (status.index || status.indexProblem) usable.set(status.index ? 1 : 0);
    if (status.index) {
      documents.set(status.index.documents);
      indexBytes.set(status.index.bytes);
    }
    for (const { state } of status.workers ?? []) workers.inc({ state });
    resident.set(status.memory.resident);
    heap.set(status.memory.heap);
    opened.set(status.since / 1000);
    if (status.lastFetch) lastFetch.set(status.lastFetch.at / 1000);
  }

  return {
    responded(path, status, seconds) {
      requests.inc({ path, code: String(status) });
      times.observe({ path }, seconds);
    },
    refused: (reason) => refusals.inc({ reason }),
    async text(reading) {
      fill(reading);
      return { body: await registry.metrics(), type: registry.contentType };
    },
  };
}
