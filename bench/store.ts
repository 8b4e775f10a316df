/**
 * What a store does in a second: writes in and out of order, reads by key, scans, and bodies. Beside our stores stands
 * classic-level with nothing around it, given the same rows as one string of the same bytes each, so that the distance
 * between the two is what cells, atomic rows and snapshots cost.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { alternate, spread } from './lib/rounds.js';
import { runWorker } from './lib/worker.js';
import { OPERATIONS, type StoreFigures, type StoreJob } from './lib/store-operations.js';

const STORES: readonly { readonly name: StoreJob['store']; readonly about: string }[] = [
  { name: 'classic-level', about: 'classic-level with nothing around it' },
  { name: 'level', about: 'LevelStore, by cells' },
  { name: 'webtable', about: 'WebTable on LevelStore, by typed fields' },
  { name: 'memory', about: 'MemoryStore, by cells; its rows end with the process' },
];

/** `store`: the rates of each store. */
export const storeBench: Bench = {
  about: 'write, read and scan rates of each store, against plain classic-level',
  names: STORES.map(({ name }) => name),
  run,
};

async function run(options: BenchOptions): Promise<BenchResult> {
  const stores = STORES.filter(({ name }) => isWanted(options, name));
  const rows = scaled(500_000, options.scale, 1000);
  const bodies = scaled(20_000, options.scale, 100);
  const directory = join(options.cache, 'store');
  const samples = await alternate(stores, options.rounds, async ({ name }, round) => {
    options.say(`round ${round + 1} of ${options.rounds}: ${name}`);
    await rm(directory, { recursive: true, force: true });
    const job: StoreJob = { store: name, rows, bodies, directory };
    return runWorker<StoreFigures>(new URL('workers/store-job.js', import.meta.url), job);
  });
  await rm(directory, { recursive: true, force: true });

  const rate = (name: string, key: keyof StoreFigures) =>
    spread((samples.get(name) ?? []).map((sample) => sample[key]));
  return {
    title: `store: rows per second, in thousands; ${rows.toLocaleString('en-US')} rows, bodies of 8 KB`,
    columns: [
      { key: 'name', head: 'store' },
      ...OPERATIONS.map(({ key, head }) => ({ key, head, digits: 1 })),
      { key: 'peakMb', head: 'peak MB' },
    ],
    rows: stores.map(({ name }) => ({
      name,
      ...Object.fromEntries(OPERATIONS.map(({ key }) => [key, rate(name, key)])),
      peakMb: rate(name, 'peakMb'),
    })),
    notes: stores.map(({ name, about }) => `${name}: ${about}.`),
    chart: {
      title: 'Rows per second, in thousands',
      panels: OPERATIONS.map(({ key, head }) => ({
        title: head,
        digits: 1,
        better: 'more' as const,
        bars: stores.map(({ name }) => ({ label: name, value: rate(name, key), ours: name !== 'classic-level' })),
      })),
    },
    samples: Object.fromEntries(samples),
  };
}
