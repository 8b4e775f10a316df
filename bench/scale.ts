/**
 * 10,000 workers on the partitions of 1,000,000,000 hosts, on a simulated clock and a simulated store, with the real code of leases and
 * shards. It covers a start, stragglers, the death of a tenth, twins that a scheduler starts too early, and another number of shards.
 */
import { LEASE_MS, createLeases, slotsOf, slotsOfShard, type HeldLeases } from '../webtable/index.js';
import { scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { SimulatedMachine, SimulatedTime } from './lib/simulated-time.js';
import { VersionedMeta } from './lib/versioned-meta.js';

const COLUMNS = [
  { key: 'phase', head: 'phase' },
  { key: 'seconds', head: 'simulated s', digits: 1 },
  { key: 'held', head: 'partitions held at its end' },
  { key: 'untilAll', head: 's until all were held', digits: 1 },
  { key: 'calls', head: 'calls/s', digits: 0 },
  { key: 'compared', head: 'compared and set rows/s', digits: 0 },
  { key: 'read', head: 'rows read/s', digits: 0 },
  { key: 'overlap', head: 'most holders of one' },
] as const;

const WORKERS = 10_000;
const RESIZED = 7_000;
const SLOTS = 65_536;
const HOSTS = 1_000_000_000;
/** Number of hosts whose partition is counted. The others are assumed to be spread in the same way. */
const COUNTED_HOSTS = 10_000_000;

/** `scale`: many workers on the partitions of many hosts, simulated. */
export const scaleBench: Bench = {
  about: '10,000 workers and the partitions of 1,000,000,000 hosts, simulated: leases, stragglers, deaths',
  names: [],
  rounds: 1,
  run,
};

interface Worker {
  readonly machine: SimulatedMachine;
  readonly index: number;
  held?: HeldLeases;
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const random = randomNumbers(1);
  const count = scaled(WORKERS, options.scale, 20);
  const slots = slotsOf(scaled(SLOTS, options.scale, 64));
  const time = new SimulatedTime();
  const store = new VersionedMeta();
  let workers = new Set<Worker>();
  let overlap = 0;
  /** Increased when the number of shards changes: workers of earlier generations then end. */
  let generation = 0;

  /** A worker begins on a shard. If it is lost or too late, the scheduler starts it again. */
  function begin(index: number, n: number, after: number): void {
    const mine = generation;
    time.after(after, () => {
      if (mine !== generation) return;
      const machine = new SimulatedMachine(time, random);
      const worker: Worker = { machine, index };
      workers.add(worker);
      // Two milliseconds to a fifth of a second, as for a store under load.
      const far = store.seenFrom(time, machine, () => 2 + random() ** 4 * 200);
      const leases = createLeases(far, `${index}`, machine.timing, `${index}`);
      const again = (): void => {
        leases.stop();
        if (workers.delete(worker) && !machine.isCrashed) begin(index, n, 5_000);
      };
      leases.take(slotsOfShard(slots, { index, count: n }), { job: 'fetch', asks: true, wait: 60_000 }).then((held) => {
        if (mine !== generation) return void held.release();
        worker.held = held;
        held.lost.addEventListener('abort', again, { once: true });
      }, again);
    });
  }

  function holders(): { held: number; most: number } {
    const holding = new Map<string, number>();
    let most = 0;
    for (const { machine, held } of workers) {
      if (machine.isCrashed || !held?.isHeld()) continue;
      for (const slot of held.slots) {
        const n = (holding.get(slot) ?? 0) + 1;
        holding.set(slot, n);
        most = Math.max(most, n);
      }
    }
    return { held: holding.size, most };
  }

  const rows: Record<string, string | number | undefined>[] = [];
  async function phase(name: string, seconds: number): Promise<void> {
    const began = time.now;
    const before = { ...store.load };
    let untilAll: number | undefined;
    let wasLess = false;
    let most = 0;
    let held = 0;
    for (let at = began; at < began + seconds * 1000;) {
      await time.runUntil((at += 500));
      const now = holders();
      held = now.held;
      most = Math.max(most, now.most);
      wasLess ||= held < slots.all.length;
      if (held < slots.all.length) untilAll = undefined;
      else if (wasLess) untilAll ??= (at - began) / 1000;
    }
    overlap = Math.max(overlap, most);
    const passed = (time.now - began) / 1000;
    rows.push({
      phase: name,
      seconds: passed,
      held,
      untilAll,
      calls: (store.load.calls - before.calls) / passed,
      compared: (store.load.compared - before.compared) / passed,
      read: (store.load.rowsRead - before.rowsRead) / passed,
      overlap: most,
    });
    options.say(`${name}: ${held.toLocaleString('en-US')} partitions held, all after ${untilAll ?? '–'} s`);
  }

  const some = (share: number): Worker[] => [...workers].filter(({ held }) => held && random() < share);

  for (let i = 0; i < count; i++) begin(i, count, random() * 30_000);
  await phase('start, within 30 s', 60);
  await phase('at rest', 60);
  for (const { machine } of some(0.05)) machine.pause(12_000 + random() * 12_000);
  await phase('stragglers: a twentieth is paused for 12 to 24 s', 60);
  for (const worker of some(0.1)) {
    worker.machine.crash();
    workers.delete(worker);
    begin(worker.index, count, 5_000 + random() * 10_000);
  }
  await phase('a tenth dies, and is begun again after 5 to 15 s', 90);
  for (const { machine, index } of some(0.01)) {
    machine.pause(60_000);
    begin(index, count, 1_000);
  }
  await phase('a hundredth is paused for 60 s, each with a twin', 120);
  const old = workers;
  generation += 1;
  workers = new Set();
  const resized = scaled(RESIZED, options.scale, 14);
  for (const { held, machine } of old) if (!machine.isCrashed) time.after(random() * 5_000, () => void held?.release());
  for (let i = 0; i < resized; i++) begin(i, resized, random() * 10_000);
  await phase(`${resized.toLocaleString('en-US')} shards instead, while the others end`, 60);

  const spread = spreadOfHosts(slots, count, scaled(COUNTED_HOSTS, options.scale, 10_000));
  const perWorker = HOSTS / WORKERS;
  return {
    title: `scale: ${count.toLocaleString('en-US')} workers, ${slots.all.length.toLocaleString('en-US')} partitions of ${HOSTS.toLocaleString('en-US')} hosts, simulated`,
    columns: COLUMNS,
    rows,
    notes: [
      'Simulated: the clock, the machines and the store, which answers after 2 to 202 ms. Leases and shards are the code of the crawler itself.',
      `A lease is free ${LEASE_MS / 1000} s after its holder was last heard of. No partition may have two holders at once: the most was ${overlap}.`,
      `Of ${HOSTS.toLocaleString('en-US')} hosts a worker has ${perWorker.toLocaleString('en-US')}; of ${spread.hosts.toLocaleString('en-US')} that were counted, the worker with the most has ${spread.most.toFixed(2)} times the mean, and the one with the least ${spread.least.toFixed(2)}.`,
    ],
    chart: {
      title: `${count.toLocaleString('en-US')} simulated workers`,
      panels: [
        {
          title: 'rows compared and set per second',
          bars: rows.map(({ phase: label, compared }) => ({ label: String(label), value: Number(compared) })),
        },
      ],
    },
    samples: { rows, spread },
  };
}

/** Numbers of hosts of the largest and the smallest worker, divided by the mean. */
function spreadOfHosts(slots: ReturnType<typeof slotsOf>, workers: number, hosts: number) {
  const indexOf = new Map(slots.all.map((slot, i) => [slot, i]));
  const counts = new Float64Array(workers);
  for (let i = 0; i < hosts; i++) counts[indexOf.get(slots.ofQueue(`www.example${i}.com`))! % workers]! += 1;
  const mean = hosts / workers;
  return { hosts, most: Math.max(...counts) / mean, least: Math.min(...counts) / mean };
}

/** mulberry32: numbers from 0 to 1, the same for the same seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
