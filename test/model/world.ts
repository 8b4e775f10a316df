import { randomNumbers } from '../../packages/webcrawl/testing/test-crawl.js';
import { CellStore } from './cell-store.js';
import { Violation, checkEnd, checkRow, isFetched, remains } from './checks.js';
import { SLOTS, epochOf, rowIn } from './decide.js';
import { DELAY, changeAll, crawl, inject, type Web } from './jobs.js';
import type { Laws } from './laws.js';
import { LeaseLost, type Step, type Steps, type Worker } from './steps.js';

interface Process {
  readonly id: string;
  readonly name: string;
  readonly steps: Steps;
  /** The step that it does when it runs next; undefined if it has ended. */
  next: Step | undefined;
  /** Whether others take it for dead. It may still run. */
  isSilent: boolean;
  sleepsUntil: number;
  /** Requests that it sent after another process had taken its slots. */
  strays: number;
}

/** Faults happen for at most this many steps. */
const FAULTY_STEPS = 4000;
const MAX_STEPS = 100_000;

/**
 * Runs one history: workers are killed; they sleep, are taken for dead, and go on; their calls arrive twice or late; they are started again
 * for another number of shards; delete markers are compacted away. Then the faults end, and the crawl has to end too.
 * @param trace gets a line for each step, to find out what a seed does
 * @throws Violation
 */
export function runHistory(seed: number, laws: Laws, trace?: (line: string) => void): void {
  new World(seed, laws, trace).run();
}

class World {
  readonly #random: () => number;
  readonly #laws: Laws;
  readonly #trace: ((line: string) => void) | undefined;
  readonly #rates: Rates;
  readonly #web: Web;
  readonly #seeds: readonly string[];
  readonly #store = new CellStore();
  #processes: Process[] = [];
  #started = 0;
  /** Calls that are still on their way. */
  readonly #late: { readonly step: Step; readonly arrivesAt: number }[] = [];
  /** The time of the last request to each host. */
  readonly #requested = new Map<string, number>();
  #shards: number;
  #isStopping = false;
  #isFaulty = true;
  #now = 1;
  /** The clock of a store that gives cells the time of their arrival. */
  #arrivals = 2 ** 40;

  constructor(seed: number, laws: Laws, trace: ((line: string) => void) | undefined) {
    this.#random = randomNumbers(seed + 1);
    this.#laws = laws;
    this.#trace = trace;
    this.#shards = this.#pick([1, 2, 2, 3]);
    this.#rates = RATES[seed % RATES.length]!;
    const { pages } = this.#rates;
    const rows = Array.from({ length: pages }, (_, i) => {
      return `h${this.#random() < 0.5 ? 0 : this.#below(SLOTS + 1)}/p${i}`;
    });
    // Each page links to the next one, so all are found, and has 2 or 4 links, so the parts of its cash add up exactly.
    this.#web = new Map(
      rows.map((row, i) => {
        const links = new Set([rows[(i + 1) % pages]!]);
        const size = 2 + 2 * this.#below(2);
        while (links.size < size) links.add(this.#pick(rows));
        return [row, [...links]];
      }),
    );
    this.#seeds = rows.slice(0, 1 + this.#below(2));
  }

  run(): void {
    this.#start('inject', () => inject('1', this.#seeds));
    for (let step = 0; ; step++) {
      const isTimeToLook = step % 50 === 0;
      if (this.#isFaulty) this.#isFaulty = step < FAULTY_STEPS && !(isTimeToLook && isFetched(this.#store, this.#web));
      else if (isTimeToLook && this.#remains().length === 0) break;
      if (step > MAX_STEPS) throw new Violation(`the crawl does not end: ${this.#remains().join(', ')}`);
      if (step % 10 === 0) this.#keepWorkers();
      if (this.#isFaulty && step % 2 === 0) this.#disturb();
      this.#deliver();
      this.#now += isTimeToLook ? this.#below(40) : 1;
      const process = this.#processes[this.#below(this.#processes.length)];
      if (process && this.#isReady(process)) this.#runStep(process);
    }
    checkEnd(this.#store, this.#web, this.#seeds);
  }

  #remains(): string[] {
    const late = this.#processes.filter(({ next, isSilent, name }) => next && (isSilent || name === 'all'));
    return [
      ...remains(this.#store, this.#web),
      ...late.map(({ id }) => `process ${id}`),
      ...this.#late.map(({ step }) => `a late ${step.kind}`),
    ];
  }

  #start(name: string, job: (me: Worker) => Steps, wanted: readonly number[] = []): void {
    const id = `${name}-${++this.#started}`;
    const steps = job({
      id,
      name,
      wanted,
      laws: this.#laws,
      epochs: new Map(),
      counter: 0,
      batches: new Set(),
      notBefore: new Map(),
      random: this.#random,
      folds: () => !this.#isFaulty || this.#random() < this.#rates.folds,
      now: () => this.#now,
      isHeld: () => !process.isSilent,
      noticesLoss: () => process.isSilent && (!this.#isFaulty || this.#random() < 0.1),
      isStopping: () => (name === 'all' ? !this.#isFaulty : this.#isStopping),
      isDead: (other) => !this.#processes.some((found) => found.id === other && found.next && !found.isSilent),
    });
    const process: Process = { id, name, steps, next: undefined, isSilent: false, sleepsUntil: 0, strays: 0 };
    this.#processes.push(process);
    this.#advance(process, undefined);
  }

  /** Starts a worker for each shard that has none, after the seeds are in the inboxes. */
  #keepWorkers(): void {
    this.#processes = this.#processes.filter(({ next }) => next);
    const living = this.#processes.filter(({ isSilent }) => !isSilent);
    if (living.some(({ name }) => name === 'inject')) return;
    if (this.#isStopping) {
      if (living.length > 0) return;
      this.#isStopping = false;
      this.#shards = this.#pick([1, 2, 2, 3]);
    }
    for (let shard = 0; shard < this.#shards; shard++) {
      const name = `${shard}of${this.#shards}`;
      if (living.some((process) => process.name === name)) continue;
      const slots = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => slot % this.#shards === shard);
      this.#start(name, (me) => crawl(me, this.#web), slots);
    }
  }

  #disturb(): void {
    const living = this.#processes.filter(({ next, isSilent, name }) => next && !isSilent && name !== 'inject');
    const { kills, resizes, compactions } = this.#rates;
    const happens = (rate: number): boolean => this.#random() * 1000 < rate;
    if (happens(3)) this.#start('all', changeAll, [this.#below(SLOTS)]);
    if (happens(compactions)) this.#store.compact();
    if (living.length > 0 && happens(kills)) this.#kill(this.#pick(living));
    if (!this.#isStopping && happens(resizes)) {
      // Another number of shards: some workers end, some are killed, some are not noticed to be alive.
      this.#isStopping = true;
      for (const process of living) {
        if (this.#random() < 0.3) this.#kill(process);
        else if (this.#random() < 0.3) this.#silence(process);
      }
    }
  }

  #kill(process: Process): void {
    if (process.next && this.#random() < 0.5) this.#delay(process.next);
    process.next = undefined;
  }

  /** A worker sleeps for so long that others take it for dead, and goes on after that. */
  #silence(process: Process): void {
    process.isSilent = true;
    process.sleepsUntil = this.#now + this.#below(this.#rates.nap);
  }

  #delay(step: Step): void {
    this.#late.push({ step, arrivesAt: this.#now + this.#below(this.#rates.lateness) });
  }

  #deliver(): void {
    if (this.#late.length === 0) return;
    const at = this.#late.findIndex(({ arrivesAt }) => arrivesAt <= this.#now);
    if (at >= 0) this.#apply(this.#late.splice(at, 1)[0]!.step);
  }

  #isReady({ next, sleepsUntil }: Process): boolean {
    if (!next || sleepsUntil > this.#now) return false;
    return next.kind !== 'wait' || next.until <= this.#now;
  }

  #runStep(process: Process): void {
    const step = process.next!;
    const isWrite = step.kind === 'put' || step.kind === 'delete' || step.kind === 'swap';
    if (this.#isFaulty && process.name !== 'inject') {
      const { naps } = this.#rates;
      if (process.isSilent && this.#random() < naps) process.sleepsUntil = this.#now + this.#below(150);
      if (!process.isSilent && this.#random() < this.#rateOfSleep(step)) {
        return this.#silence(process);
      }
    }
    this.#trace?.(`${this.#now} ${process.id}${process.isSilent ? ' (dead)' : ''} ${JSON.stringify(step)}`);
    const result = step.kind === 'request' ? this.#request(process, step.host, step.slot) : this.#apply(step);
    const fault = this.#isFaulty && isWrite ? this.#random() * 100 : 100;
    if (fault < 4) {
      // The response is lost. A put or delete is done again. Whether a compare-and-set was made is not known.
      if (step.kind === 'swap') this.#advance(process, false);
      return;
    }
    // Or a retry was faster than the first call, which arrives some time.
    if (fault < 4 + this.#rates.late) this.#delay(step);
    this.#advance(process, result);
  }

  #rateOfSleep(step: Step): number {
    const { sleep, sleepAtSwap, sleepAtRead } = this.#rates;
    if (step.kind === 'swap') return sleepAtSwap;
    return step.kind === 'get' && step.table === 'pages' ? sleepAtRead : sleep;
  }

  #advance(process: Process, result: unknown): void {
    try {
      const { done, value } = process.steps.next(result);
      process.next = done ? undefined : value;
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
      process.next = undefined;
    }
  }

  #apply(step: Step): unknown {
    const store = this.#store;
    switch (step.kind) {
      case 'get':
        return store.get(step.table, step.key);
      case 'keys':
        return store.keys(step.table, step.prefix, step.after, 1 + this.#below(4));
      case 'put': {
        const before = epochOf(store.get(step.table, step.key)?.at ?? 0);
        store.put(step.table, step.key, step.value, this.#laws.epochs ? step.at : ++this.#arrivals);
        if (this.#laws.epochs && epochOf(store.get(step.table, step.key)?.at ?? before) < before)
          throw new Violation(`an earlier epoch has replaced ${step.key}`);
        return checkRow(store, rowIn(step.key));
      }
      case 'delete':
        store.delete(step.table, step.key, this.#laws.epochs ? step.at : ++this.#arrivals);
        return checkRow(store, rowIn(step.key));
      case 'swap': {
        const isMade = store.compareAndSet(step.table, step.key, step.read, step.value);
        if (step.table === 'batches') for (const row of this.#web.keys()) checkRow(store, row);
        return isMade;
      }
      default:
        return undefined;
    }
  }

  /** The owner keeps the delay. A worker that was taken for dead sends at most the request that it was about to send. */
  #request(process: Process, host: string, slot: number): boolean {
    if (this.#store.get('leases', String(slot))?.value.holder !== process.id) {
      if (++process.strays > 1) throw new Violation(`${process.id} requests pages in slots of others`);
    } else {
      const since = this.#now - (this.#requested.get(host) ?? -DELAY);
      if (since < DELAY) throw new Violation(`${host} gets two requests within ${since} ticks`);
      this.#requested.set(host, this.#now);
    }
    return this.#random() < (this.#isFaulty ? this.#rates.responses : 0.9);
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)]!;
  }
}

/** How often faults happen. */
interface Rates {
  /** The size of the web. */
  readonly pages: number;
  /** Of 1000 steps. */
  readonly kills: number;
  readonly resizes: number;
  readonly compactions: number;
  /** The probability that a worker is taken for dead before a step: any, a read of a row, a compare-and-set. */
  readonly sleep: number;
  readonly sleepAtRead: number;
  readonly sleepAtSwap: number;
  /** For how many ticks such a worker sleeps, and the probability that it sleeps again. */
  readonly nap: number;
  readonly naps: number;
  /** Of 100 writes: those that arrive twice; and how late. */
  readonly late: number;
  readonly lateness: number;
  /** The probabilities of a response of a host, and that a worker looks into its inboxes in a round. */
  readonly responses: number;
  readonly folds: number;
}

/** The seeds differ in kind, so that combinations that are rare in one kind are frequent in another. */
const RATES: readonly Rates[] = [
  {
    pages: 7,
    kills: 0,
    resizes: 0,
    compactions: 100,
    sleep: 0.0002,
    sleepAtRead: 0.0002,
    sleepAtSwap: 0,
    nap: 200,
    naps: 0,
    late: 60,
    lateness: 900,
    responses: 0.9,
    folds: 1,
  },
  {
    pages: 4,
    kills: 0,
    resizes: 0,
    compactions: 10,
    sleep: 0.006,
    sleepAtRead: 0.006,
    sleepAtSwap: 0.12,
    nap: 250,
    naps: 0,
    late: 4,
    lateness: 100,
    responses: 0.4,
    folds: 1,
  },
  {
    pages: 5,
    kills: 3,
    resizes: 4,
    compactions: 20,
    sleep: 0.012,
    sleepAtRead: 0.002,
    sleepAtSwap: 0.01,
    nap: 300,
    naps: 0,
    late: 8,
    lateness: 300,
    responses: 0.7,
    folds: 1,
  },
  {
    pages: 4,
    kills: 0,
    resizes: 0,
    compactions: 5,
    sleep: 0.001,
    sleepAtRead: 0.04,
    sleepAtSwap: 0,
    nap: 500,
    naps: 0,
    late: 2,
    lateness: 300,
    responses: 0.9,
    folds: 0.1,
  },
];
