import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchOptions } from './bench.js';
import { BENCH, ROOT } from './folders.js';
import { startHBase } from './hbase-cluster.js';
import { hasMaven } from './maven.js';

/** Memory of each region server, so that a table of two million rows does not wait for the disk. */
const HEAP_MB = 1536;
/** No server is killed here, and other work on the machine must not make one count as dead. */
const SESSION = 120_000;
const POLL_MS = 5000;
const MAX_POLLS = 60;
/** Below this number of CPU seconds in a second, it counts as idle. */
const QUIET = 0.2;

/** The HBase that `--hbase` names, or else a new one with two region servers and two gateways. */
export async function openHBaseTarget({ hbase, say }: BenchOptions) {
  const run = Date.now().toString(36);
  if (hbase !== undefined) {
    return {
      urlOf: (name: string) => `${hbase}_${run}_${name}`,
      cpuSeconds: () => undefined,
      untilQuiet: async () => {},
      about: 'An HBase that runs elsewhere, whose CPU time is not known; the tables stay there.',
      stop: async () => {},
    };
  }
  if (!hasMaven())
    throw new Error('expected --hbase <url>, or Maven and a JDK of version 17 to start one, found neither');
  say('starting an HBase …');
  const cluster = await startHBase(join(BENCH, 'hbase'), join(ROOT, '.cache'), { heapMb: HEAP_MB, session: SESSION });
  const cpuSeconds = (): number => Object.values(cluster.cpuSeconds()).reduce((sum, seconds) => sum + seconds, 0);
  return {
    urlOf: (name: string) => `hbase://${cluster.gateways.join(',')}/bench_${run}_${name}`,
    cpuSeconds,
    /** Waits until it is idle, for example after writes to disk and merges; a few minutes at most. */
    async untilQuiet() {
      for (let looks = 0, before = cpuSeconds(); looks < MAX_POLLS; looks++) {
        await wait(POLL_MS);
        const now = cpuSeconds();
        if (now - before < QUIET * (POLL_MS / 1000)) return;
        before = now;
      }
    },
    about: `HBase 2.6 on this machine: master, two region servers of ${HEAP_MB} MB, two gateways of Thrift2; data on the local disk.`,
    stop: () => cluster.stop(),
  };
}
