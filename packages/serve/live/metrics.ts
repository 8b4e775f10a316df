import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Reading } from './stats.js';

/** The metrics of a server and of the crawl that it shows, for Prometheus. */
export interface Metrics {
  /** One more request was answered. */
  answered(route: string, status: number, seconds: number): void;
  /** The text of `/metrics`, with its media type. */
  text(reading: Reading): Promise<{ readonly body: string; readonly type: string }>;
}

/** Makes the metrics, in a registry of their own. No label holds a host or a URL, so their number is bounded. */
export async function createMetrics(): Promise<Metrics> {
  const { Counter, Gauge, Histogram, Registry } = (await import('prom-client')).default;
  const registry: Registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Gauge<L> =>
    new Gauge({ name: `webcrawl_${name}`, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []): Counter<L> =>
    new Counter({ name: `webcrawl_${name}_total`, help, labelNames, registers });

  const up = gauge('up', 'Whether the table could be asked: 1 or 0.');
  const running = gauge('job_running', 'The jobs under way, each 1.', ['job']);
  const failing = gauge('job_failing', 'How often a job beside the crawl has failed, one after the other.', ['job']);
  const done = counter('job_rows', 'Rows that jobs have done since the table was opened.', ['job']);
  const counted = counter('job_events', 'What jobs have counted since the table was opened, by counter.', [
    'job',
    'counter',
  ]);
  const errors = counter('errors', 'Pages that failed since the table was opened, by reason.', ['job', 'reason']);
  const received = counter('received_bytes', 'Bytes of bodies received since the table was opened.', ['job']);
  const round = gauge('round', 'The round of the crawl under way.');
  const inFlight = gauge('pages_in_flight', 'Pages that are being fetched and parsed.');
  const threads = gauge('fetch_threads', 'Pages that may be in flight.');
  const waiting = gauge('queues_waiting', 'Hosts, domains or IPs with pages that wait for their turn.');
  const setAside = gauge('hosts_set_aside', 'Hosts that are left alone for longer than a fetch waits.');
  const due = gauge('pages_due', 'Pages that are due and held by no batch.');
  const batches = gauge('batches_open', 'Batches that hold pages.');
  const toIndex = gauge('batches_to_index', 'Batches that are updated and wait to be indexed.');
  const disk = gauge('disk_bytes', 'Bytes on the disk, by part of the table.', ['part']);
  const documents = gauge('index_documents', 'Pages in the index of words.');
  const indexBytes = gauge('index_bytes', 'Bytes of the index of words.');
  const resident = gauge('resident_memory_bytes', 'Memory of the process that has the table open.');
  const heap = gauge('heap_bytes', 'Of this, objects of JavaScript.');
  const opened = gauge('start_time_seconds', 'When that process opened the table, since the epoch.');
  const lastFetch = gauge('last_fetch_time_seconds', 'When the last fetch began or ended, since the epoch.');
  const workers = gauge(
    'workers',
    'Other processes that work on the table, by state; those that were heard of within the hour.',
    ['state'],
  );
  const requests = counter('http_requests', 'Requests that this server has answered.', ['path', 'code']);
  const times: Histogram<'path'> = new Histogram({
    name: 'webcrawl_http_request_duration_seconds',
    help: 'Time until they were answered.',
    labelNames: ['path'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  });
  const labelled = [running, failing, done, counted, errors, received, disk, workers];
  const plain = [
    up,
    round,
    inFlight,
    threads,
    waiting,
    setAside,
    due,
    batches,
    toIndex,
    documents,
    indexBytes,
    resident,
    heap,
    opened,
    lastFetch,
  ];

  function fill({ status, problem }: Reading): void {
    for (const metric of labelled) metric.reset();
    // What is not known is left out, and not 0.
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
    answered(path, status, seconds) {
      requests.inc({ path, code: String(status) });
      times.observe({ path }, seconds);
    },
    async text(reading) {
      fill(reading);
      return { body: await registry.metrics(), type: registry.contentType };
    },
  };
}
