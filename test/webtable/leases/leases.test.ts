import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables } from '../../../packages/webcrawl/internal.js';
import {
  HELD_MS,
  LEASE_MS,
  createLeases,
  slotsOf,
  type HeldLeases,
  type Leases,
  type TakeOptions,
} from '../../../webtable/index.js';
import { SimulatedMachine, SimulatedTime } from '../../support/stores/simulated-time.js';
import { FarStore } from '../../support/stores/far-store.js';
import { TimedStore } from '../../support/stores/timed-store.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { seeds } from '../../support/runs.js';

const ALL = slotsOf(16).all;
const FETCH: TakeOptions = { job: 'fetch', batchId: '1-1', wait: 60_000 };

/** Some workers on separate machines, and a store that answers at once. */
function cluster() {
  const time = new SimulatedTime();
  const random = randomNumbers(1);
  const store = new TimedStore(() => 0);
  const worker = (name: string): { machine: SimulatedMachine; leases: Leases } => {
    const machine = new SimulatedMachine(time, random);
    const far = new FarStore(store, time, machine, { random: () => 0.5 });
    return { machine, leases: createLeases(far, name, machine.timing, name) };
  };
  /** Advances time until the promise is settled, at most for an hour. */
  async function settle<T>(promise: Promise<T>): Promise<T> {
    let isSettled = false;
    const mark = (): void => void (isSettled = true);
    promise.then(mark, mark);
    for (const end = time.now + 3_600_000; !isSettled && time.now < end;) await time.runUntil(time.now + 100);
    if (!isSettled) throw new Error('expected it to be settled within an hour');
    return promise;
  }
  return { time, store, worker, settle };
}

describe('leases', () => {
  it('have one owner, are renewed, and are free as soon as they are released', async () => {
    const { time, worker, settle } = cluster();
    const [a, b] = [worker('a'), worker('b')];
    const mine = await settle(a.leases.take(ALL, FETCH));
    expect([mine.isHeld(), [...mine.slots]]).toEqual([true, ALL]);
    await time.runUntil(time.now + 600_000);
    expect(mine.isHeld()).toBe(true);

    await expect(settle(b.leases.take(['03'], { job: 'parse', wait: 0 }))).rejects.toMatchObject({
      code: 'LEASE_HELD',
      exitCode: 75,
      message: 'slot 03 is held by a (fetch of 1-1), also after 0 s',
    });
    const waiting = b.leases.take(['03', '04'], { job: 'parse', wait: 60_000 });
    await time.runUntil(time.now + 10_000);
    await settle(mine.release());
    expect(mine.isHeld()).toBe(false);
    const releasedAt = time.now;
    const theirs = await settle(waiting);
    expect(time.now - releasedAt).toBeLessThan(3000);
    expect(theirs.isHeld()).toBe(true);
    // A release by a former owner changes nothing.
    await settle(mine.release());
    const epochs = (await settle(a.leases.list())).map(({ slot, epoch, holder }) => [slot, epoch, holder?.name]);
    expect(epochs).toEqual(ALL.map((slot) => (slot === '03' || slot === '04' ? [slot, 2, 'b'] : [slot, 1, undefined])));
  });

  it('of a dead owner are free after another worker has watched them for a while, even if it came later', async () => {
    const { time, worker, settle } = cluster();
    const [a, b, c] = [worker('a'), worker('b'), worker('c')];
    await settle(a.leases.take(ALL, FETCH));
    a.machine.crash();
    // Time alone does not matter: no worker has watched the lease.
    await time.runUntil(time.now + 86_400_000);
    const begun = time.now;
    await expect(settle(b.leases.take(ALL, { ...FETCH, wait: 20_000 }))).rejects.toMatchObject({ code: 'LEASE_HELD' });
    const theirs = await settle(b.leases.take(ALL, FETCH));
    expect(time.now - begun).toBeGreaterThan(LEASE_MS * 0.9);
    expect(time.now - begun).toBeLessThan(LEASE_MS * 1.3);
    expect(theirs.isHeld()).toBe(true);
    // The list leaves out workers that the reader knows to be dead.
    expect((await settle(c.leases.holders())).map(({ name }) => name)).toEqual(['b']);
  });

  it('are not held while renewals fail, and are lost if another worker has them', async () => {
    const { time, worker, settle } = cluster();
    const [a, b] = [worker('a'), worker('b')];
    const mine = await settle(a.leases.take(['00'], FETCH));
    a.machine.pause(25_000);
    await time.runUntil(time.now + 24_000);
    expect(mine.isHeld()).toBe(false);
    await settle(mine.untilHeld());
    expect(mine.isHeld()).toBe(true);

    a.machine.pause(120_000);
    const theirs = await settle(b.leases.take(['00'], FETCH));
    expect([mine.isHeld(), theirs.isHeld()]).toEqual([false, true]);
    await expect(settle(mine.untilHeld())).rejects.toMatchObject({ code: 'LEASE_LOST', exitCode: 75 });
    expect(mine.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    // A release by a former owner takes nothing from the present one.
    await settle(mine.release());
    await time.runUntil(time.now + 60_000);
    expect(theirs.isHeld()).toBe(true);
    // It can take the lease again.
    await settle(theirs.release());
    expect((await settle(a.leases.take(['00'], FETCH))).isHeld()).toBe(true);
  });

  it('are confirmed by a read of their rows, which shows a later owner before the clock does', async () => {
    const { store, worker, settle } = cluster();
    const mine = await settle(worker('a').leases.take(['00', '01'], FETCH));
    await settle(mine.confirm(['00', '01']));
    const taken = Buffer.from(JSON.stringify({ holder: 'b', epoch: 2 }));
    await store.write('meta', [{ key: 'lease-01', put: new Map([['v:l', taken]]) }]);
    await settle(mine.confirm(['00']));
    expect(mine.isHeld()).toBe(true);
    await expect(settle(mine.confirm(['01']))).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect([mine.isHeld(), mine.lost.aborted]).toEqual([false, true]);
  });

  it('keep the process alive only while a task waits for them', async () => {
    const { time, store, settle } = cluster();
    const machine = new SimulatedMachine(time, randomNumbers(1));
    const far = new FarStore(store, time, machine, { random: () => 0.5 });
    const { timing } = machine;
    let isInBackground: boolean | undefined;
    const after: typeof timing.after = (ms, callback, background) => {
      isInBackground = background;
      return timing.after(ms, callback, background);
    };
    const mine = await settle(
      createLeases(far, 'a', { monotonic: () => timing.monotonic(), wall: () => timing.wall(), after }, 'a').take(
        ['00'],
        FETCH,
      ),
    );
    expect(isInBackground).toBe(true);
    machine.pause(25_000);
    await time.runUntil(time.now + 24_000);
    const held = mine.untilHeld();
    expect(isInBackground).toBe(false);
    await settle(held);
    expect([mine.isHeld(), isInBackground]).toEqual([true, true]);
  });

  it('are not held by a machine that was suspended, although its own clock stood still', async () => {
    const { time, worker, settle } = cluster();
    const { machine, leases } = worker('a');
    const mine = await settle(leases.take(['00'], FETCH));
    machine.suspend(3_600_000);
    await time.runUntil(time.now + HELD_MS * 1.1);
    expect(mine.isHeld()).toBe(false);
  });

  it('are shared by the tasks of one worker until the last task has released them', async () => {
    const { worker, settle } = cluster();
    const [a, b] = [worker('a'), worker('b')];
    const fetching = await settle(a.leases.take(ALL, { ...FETCH, asks: true }));
    const parsing = await settle(a.leases.take(['00', '01'], { job: 'parse', wait: 0 }));
    const [{ tasks } = { tasks: [] }] = await settle(b.leases.holders());
    expect(tasks).toEqual([{ job: 'fetch', batchId: '1-1' }, { job: 'parse' }]);
    await settle(fetching.release());
    const taken = await settle(b.leases.take(ALL.slice(2), { ...FETCH, wait: 0 }));
    expect([parsing.isHeld(), taken.isHeld()]).toEqual([true, true]);
    await expect(settle(b.leases.take(ALL, { ...FETCH, wait: 0 }))).rejects.toMatchObject({ code: 'LEASE_HELD' });
    await settle(parsing.release());
    await settle(b.leases.take(ALL, { ...FETCH, wait: 0 }));
    expect((await settle(a.leases.holders())).map(({ name }) => name)).toEqual(['b']);
  });

  it('store when the hosts of a slot were last requested; after a kill, this is the present time', async () => {
    const { worker, settle } = cluster();
    const [a, b, c] = [worker('a'), worker('b'), worker('c')];
    let now = 1_000_000;
    const asking = { ...FETCH, asks: true, clock: () => now };
    const first = await settle(a.leases.take(['00', '01'], asking));
    expect(first.askedAt('00')).toBeUndefined();
    now += 500_000;
    await settle(first.release());
    now += 500_000;
    // The clock of another machine may be slow.
    const second = await settle(b.leases.take(['00'], asking));
    expect(second.askedAt('00')).toBe(1_500_000 + 120_000);
    b.machine.crash();
    now += 500_000;
    const third = await settle(c.leases.take(['00', '01'], { ...asking, job: 'parse', asks: false }));
    await settle(third.release());
    now += 500_000;
    const fourth = await settle(c.leases.take(['00', '01'], asking));
    expect([fourth.askedAt('00'), fourth.askedAt('01')]).toEqual([2_500_000 + 120_000, 1_500_000 + 120_000]);
  });

  it('of a killed worker count as requested until the moment when they were taken', async () => {
    const { store, worker, settle } = cluster();
    const [a, b] = [worker('a'), worker('b')];
    let now = 1_000_000;
    const asking = { ...FETCH, asks: true, clock: () => now };
    await settle(a.leases.take(['00'], asking));
    a.machine.crash();
    const { compareAndSet } = store;
    store.compareAndSet = (table, changes) => {
      if (changes.some(({ change }) => change.key === 'lease-00')) now += 500_000;
      return compareAndSet.call(store, table, changes);
    };
    expect((await settle(b.leases.take(['00'], asking))).askedAt('00')).toBe(1_500_000);
  });

  it('allow for a slow clock of the former owner also if a task without requests took the slot first', async () => {
    const { worker, settle } = cluster();
    let now = 1_000_000;
    const asking = { ...FETCH, asks: true, clock: () => now };
    const first = await settle(worker('a').leases.take(['00'], asking));
    await settle(first.release());
    now += 500_000;
    const { leases } = worker('b');
    await settle(leases.take(['00'], { ...asking, asks: false }));
    const second = await settle(leases.take(['00'], asking));
    expect(second.askedAt('00')).toBe(1_000_000 + 120_000);
    now += 500_000;
    await settle(second.release());
    const third = await settle(leases.take(['00'], asking));
    expect(third.askedAt('00')).toBe(2_000_000);
  });

  it('stop to wait on a signal', async () => {
    const { time, worker, settle } = cluster();
    const [a, b] = [worker('a'), worker('b')];
    await settle(a.leases.take(['00'], FETCH));
    const controller = new AbortController();
    const taking = b.leases.take(['00'], { ...FETCH, signal: controller.signal });
    await time.runUntil(time.now + 5000);
    controller.abort(new Error('stopped'));
    await expect(settle(taking)).rejects.toThrow('stopped');
  });

  it('of many slots are renewed by two calls', async () => {
    const { time, store, worker, settle } = cluster();
    const { leases } = worker('a');
    const many = slotsOf(4096).all;
    const mine = await settle(leases.take(many, FETCH));
    let rows = 0;
    const { compareAndSet } = store;
    store.compareAndSet = (table, changes) => {
      rows += changes.length;
      return compareAndSet.call(store, table, changes);
    };
    await time.runUntil(time.now + 100_000);
    expect(mine.isHeld()).toBe(true);
    expect(rows).toBeGreaterThan(8);
    expect(rows).toBeLessThan(13);
  });

  it('are taken at once if there can be no other process, with a row only for the time of the last request', async () => {
    const store = new MemoryStore();
    const { leases } = await openTables(store);
    const [first, second] = [await leases.take(ALL, FETCH), await leases.take(ALL, { ...FETCH, wait: 0 })];
    expect([first.isHeld(), second.isHeld(), first.askedAt('00')]).toEqual([true, true, undefined]);
    expect(await leases.list()).toEqual([]);
    await first.release();
    expect([first.isHeld(), second.isHeld()]).toEqual([false, true]);
    let now = 1000;
    const asking = { ...FETCH, asks: true, clock: () => now };
    await (await leases.take(ALL, asking)).release();
    now = 5000;
    const killed = await (await openTables(store)).leases.take(ALL, asking);
    expect(killed.askedAt('07')).toBe(1000);
    now = 9000;
    const third = await (await openTables(store)).leases.take(ALL, asking);
    expect(third.askedAt('07')).toBe(9000);
  });
});

describe('random histories of leases', () => {
  const groups = seeds(3, 40).map((i) => i * 5);

  it.each(groups)('never have two owners of one slot: 5 seeds from %i', async (first) => {
    for (let seed = first; seed < first + 5; seed++) await history(seed);
  });
});

/** Workers take, hold, release, pause and crash, on a bad network. */
async function history(seed: number): Promise<void> {
  const random = randomNumbers(seed);
  const pick = (n: number): number => Math.floor(random() * n);
  const time = new SimulatedTime();
  const store = new TimedStore(random);
  const slots = slotsOf(1 + pick(6));
  const machines: SimulatedMachine[] = [];
  const holding: { readonly machine: SimulatedMachine; readonly held: HeldLeases }[] = [];
  let taken = 0;

  async function live(name: string): Promise<void> {
    const machine = new SimulatedMachine(time, random);
    machines.push(machine);
    const lossRate = pick(2) * 0.03;
    // There is no protection for a machine that is suspended while its wall clock is set back.
    const isSuspended = pick(2) === 0;
    const far = new FarStore(store, time, machine, { random, lossRate });
    const leases = createLeases(far, name, machine.timing, name);
    const disturb = (): void => {
      const kind = pick(8);
      if (kind === 0) machine.pause(random() * 90_000);
      else if (kind === 1 && isSuspended) machine.suspend(random() * 90_000);
      else if (kind === 2 && !isSuspended) machine.setWallClock((random() - 0.5) * 1e8);
      else if (kind === 3 && pick(3) === 0) machine.crash();
      time.after(random() * 60_000, disturb);
    };
    time.after(random() * 60_000, disturb);
    for (;;) {
      const wanted = slots.all.filter(() => pick(3) > 0);
      try {
        const held = await leases.take(wanted, { job: 'fetch', wait: pick(3) * 40_000, asks: pick(2) === 0 });
        taken += 1;
        const entry = { machine, held };
        holding.push(entry);
        await machine.sleep(random() * 60_000);
        if (pick(3) > 0) await held.release();
        holding.splice(holding.indexOf(entry), 1);
      } catch {
        await machine.sleep(random() * 10_000);
      }
    }
  }
  const workers = 2 + pick(4);
  for (let i = 0; i < workers; i++) void live(`worker ${i}`);
  // Replacements for crashed workers.
  const begin = (i: number): void => {
    void live(`worker ${i}`);
    if (i < workers + 6 && time.now < 450_000) time.after(60_000 + random() * 60_000, () => begin(i + 1));
  };
  time.after(60_000, () => begin(workers));

  let before = new Map<string, number>();
  let looked = 0;
  const check = (): void => {
    const holderOf = new Map<string, SimulatedMachine>();
    for (const { machine, held } of holding) {
      if (machine.isCrashed || !held.isHeld()) continue;
      for (const slot of held.slots) {
        const other = holderOf.get(slot) ?? machine;
        expect(other === machine, `seed ${seed}: slot ${slot} at ${time.now}`).toBe(true);
        holderOf.set(slot, machine);
      }
    }
  };
  for (let end = 10_000; end <= 600_000; end += 10_000) {
    await time.runUntil(end, check);
    const epochs = new Map((await createLeases(store, 'looks').list()).map(({ slot, epoch }) => [slot, epoch]));
    for (const [slot, epoch] of before) expect(epochs.get(slot), `seed ${seed}`).toBeGreaterThanOrEqual(epoch);
    before = epochs;
    looked += epochs.size;
  }
  expect([taken > 0, looked > 0], `seed ${seed}`).toEqual([true, true]);

  // When all are dead, a new worker that waits long enough gets all slots.
  for (const machine of machines) machine.crash();
  const last = new SimulatedMachine(time, () => 0.5);
  const far = new FarStore(store, time, last, { random: () => 0.5 });
  let isTaken = false;
  void createLeases(far, 'last', last.timing)
    .take(slots.all, { job: 'fetch', wait: 300_000 })
    .then(({ isHeld }) => {
      isTaken = isHeld();
    });
  // A request of a dead worker may still be in flight.
  await time.runUntil(time.now + 40_000 + LEASE_MS * 1.2);
  expect(isTaken, `seed ${seed}`).toBe(true);
}
