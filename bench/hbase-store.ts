/** What a table on HBase does in a second, and what CPU time that takes of Node and of the servers. */
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { openHBaseTarget } from './lib/hbase-target.js';
import { alternate, spread, type Spread } from './lib/rounds.js';
import {
  OPERATIONS,
  type Operation,
  type StoreFigures,
  type StoreJob,
  type StoreStep,
} from './lib/store-operations.js';
import { runWorker } from './lib/worker.js';

const STORES = [
  { name: 'hbase', about: 'HBaseStore, by cells' },
  { name: 'hbase-webtable', about: 'WebTable on HBaseStore, by typed fields; bodies in the table `content`' },
] as const;
const ROUNDS = 3;

/** `hbase-store`: rates and CPU time on HBase. */
export const hbaseStoreBench: Bench = {
  about: 'write, read and scan rates of a table on HBase, with the CPU time of Node and of the servers',
  names: STORES.map(({ name }) => name),
  rounds: ROUNDS,
  run,
};

/** Of one operation. */
interface Sample {
  /** Thousands of rows a second. */
  readonly rate: number;
  /** CPU milliseconds for a thousand rows. */
  readonly node: number;
  readonly servers: number;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const stores = STORES.filter(({ name }) => options.only?.includes(name) ?? true);
  const rows = scaled(100_000, options.scale, 1000);
  const bodies = scaled(4000, options.scale, 100);
  const target = await openHBaseTarget(options);
  try {
    const samples = await alternate(stores, options.rounds, async ({ name }, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
      const job: StoreJob = {
        store: name,
        rows,
        bodies,
        directory: target.urlOf(`${name.replace('-', '_')}_${round}`),
      };
      let servers = target.cpuSeconds();
      const steps: Partial<Record<Operation, Sample>> = {};
      await runWorker<StoreFigures | StoreStep>(new URL('workers/store-job.js', import.meta.url), job, (reply) => {
        if (!('operation' in reply)) return;
        const now = target.cpuSeconds();
        const of = (seconds: number | undefined): number => ((seconds ?? NaN) * 1e6) / reply.rows;
        const isTimed = reply.operation !== 'open';
        if (isTimed)
          steps[reply.operation] = {
            rate: reply.rate,
            node: of(reply.cpuSeconds),
            servers: of(now === undefined || servers === undefined ? undefined : now - servers),
          };
        servers = now;
      });
      return steps;
    });
    const of = (name: string, key: Operation, figure: keyof Sample): Spread =>
      spread((samples.get(name) ?? []).map((sample) => sample[key]?.[figure] ?? NaN));
    const all = stores.flatMap(({ name }) => OPERATIONS.map(({ key, head }) => ({ name, key, head })));
    return {
      title: `hbase-store: ${rows.toLocaleString('en-US')} rows, bodies of 8 KB`,
      columns: [
        { key: 'name', head: 'store' },
        { key: 'operation', head: 'operation' },
        { key: 'rate', head: 'thousand rows/s', digits: 2 },
        { key: 'node', head: 'CPU ms of Node per 1,000', digits: 1 },
        { key: 'servers', head: 'of the servers', digits: 1 },
      ],
      rows: all.map(({ name, key, head }) => ({
        name,
        operation: head,
        rate: of(name, key, 'rate'),
        node: of(name, key, 'node'),
        ...(target.cpuSeconds() !== undefined && { servers: of(name, key, 'servers') }),
      })),
      notes: [...stores.map(({ name, about }) => `${name}: ${about}.`), target.about],
      chart: {
        title: 'Rows per second on HBase, in thousands',
        panels: OPERATIONS.map(({ key, head }) => ({
          title: head,
          digits: 2,
          better: 'more' as const,
          bars: stores.map(({ name }) => ({ label: name, value: of(name, key, 'rate'), ours: true })),
        })),
      },
      samples: Object.fromEntries(samples),
    };
  } finally {
    await target.stop();
  }
}
