import { describe, expect, it } from 'vitest';
import {
  createFetchQueues,
  type FetchQueues,
  type FetchQueuesOptions,
  type FetchWorker,
} from '../../../packages/fetch/queues/fetch-queues.js';

/** A clock and timers that only move when told; timers for the same time fire in the order in which they were set. */
function fakeTime() {
  let now = 1_000_000;
  let count = 0;
  const timers = new Map<number, { time: number; callback: () => void }>();
  const flush = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  };
  const set = (callback: () => void, ms: number): number => {
    timers.set(++count, { time: now + ms, callback });
    return count;
  };
  return {
    clock: () => now,
    timers: { setTimeout: set, clearTimeout: (id: unknown) => void timers.delete(id as number) },
    pending: () => timers.size,
    set: () => count,
    sleep: (ms: number) => new Promise<void>((resolve) => void set(resolve, ms)),
    flush,
    /** Advances until there is no timer, or until a time. */
    async pass(until = Infinity): Promise<void> {
      for (await flush(); ; await flush()) {
        const [id, next] = [...timers].reduce<[number, { time: number; callback: () => void } | undefined]>(
          (best, [key, timer]) => (best[1] === undefined || timer.time < best[1].time ? [key, timer] : best),
          [0, undefined],
        );
        if (!next || next.time > until) break;
        timers.delete(id);
        now = Math.max(now, next.time);
        next.callback();
      }
      if (until !== Infinity) now = Math.max(now, until);
    },
  };
}

interface Log {
  readonly queue: string;
  readonly item: string;
  readonly start: number;
  end: number;
}

function setup(options: Partial<FetchQueuesOptions> = {}) {
  const time = fakeTime();
  const log: Log[] = [];
  const queues = createFetchQueues<string>({ threads: 10, threadsPerQueue: 1, delay: () => 1, ...time, ...options });
  const work =
    (ms: number | (() => number)): FetchWorker<string> =>
    async (item, queue) => {
      const entry: Log = { queue, item, start: time.clock(), end: Infinity };
      log.push(entry);
      await time.sleep(typeof ms === 'number' ? ms : ms());
      entry.end = time.clock();
    };
  const t0 = time.clock();
  const starts = (): string[] => log.map(({ item, start }) => `${item}@${start - t0}`);
  return { time, log, queues, work, starts, t0 };
}

async function* source(...items: string[]): AsyncGenerator<string, void> {
  yield* items;
}

/** Runs until no fake timer is left. */
async function drain(queues: FetchQueues<string>, time: ReturnType<typeof fakeTime>, worker: FetchWorker<string>) {
  let done = false;
  const run = queues.run(worker).finally(() => (done = true));
  await Promise.race([run, time.pass()]);
  await time.flush();
  expect(done).toBe(true);
  expect(time.pending()).toBe(0);
  await run;
}

describe('one queue', () => {
  it('waits from the end of an item to the start of the next', async () => {
    const { time, queues, work, starts } = setup();
    queues.addQueue('a', source('1', '2', '3'));
    await drain(queues, time, work(300));
    expect(starts()).toEqual(['1@0', '2@1300', '3@2600']);
  });

  it('with several threads waits from start to start, with at most that many at once', async () => {
    const { time, queues, work, starts } = setup({ threadsPerQueue: 2, delay: () => 0.1 });
    queues.addQueue('a', source('1', '2', '3', '4', '5'));
    await drain(queues, time, work(1000));
    expect(starts()).toEqual(['1@0', '2@100', '3@1000', '4@1100', '5@2000']);
  });

  it('waits no longer for items that sent no request, and no shorter for the others', async () => {
    const { time, queues, starts, log, t0 } = setup();
    queues.addQueue('a', source('idle', '1', 'idle', 'idle', '2', '3'));
    await drain(queues, time, async (item, queue) => {
      log.push({ queue, item, start: time.clock(), end: 0 });
      return item === 'idle' ? 'no_request' : undefined;
    });
    expect(t0).toBe(1_000_000);
    expect(starts()).toEqual(['idle@0', '1@0', 'idle@1000', 'idle@1000', '2@1000', '3@2000']);
  });

  it('uses a delay that changes while it waits, longer or shorter', async () => {
    for (const [delay, expected] of [
      [10, ['1@0', '2@10000']],
      [0.7, ['1@0', '2@700']],
      [0, ['1@0', '2@500']],
    ] as const) {
      const { time, queues, work, starts, t0 } = setup();
      queues.addQueue('a', source('1', '2'));
      const run = queues.run(work(0));
      await time.pass(t0 + 500);
      queues.setDelay('a', delay);
      queues.setDelay('unknown', delay);
      await time.pass();
      await run;
      expect(starts()).toEqual(expected);
    }
  });

  it('starts nothing before a time that was set, and never shortens a wait', async () => {
    const { time, queues, work, starts, t0 } = setup();
    queues.pause('a', 3);
    queues.pause('a', 2);
    queues.addQueue('a', source('1', '2', '3'));
    const run = queues.run(work(0));
    await time.pass(t0 + 3500);
    queues.pause('a', 0.1);
    await time.pass(t0 + 4500);
    queues.pause('a', (t0 + 9000 - time.clock()) / 1000);
    await time.pass();
    await run;
    expect(starts()).toEqual(['1@3000', '2@4000', '3@9000']);
  });

  it('still waits after it became empty', async () => {
    const { time, queues, work, starts, t0 } = setup();
    const feeding = (async () => {
      queues.push('a', '1');
      await time.sleep(400);
      queues.push('a', '2');
      await time.sleep(5000);
      queues.addQueue('a', source('3'));
    })();
    const run = queues.run(work(0), undefined, feeding);
    await time.pass();
    await run;
    expect(t0).toBeGreaterThan(0);
    expect(starts()).toEqual(['1@0', '2@1000', '3@5400']);
  });

  it('is forgotten after it became empty and its delay is over, however many others wait', async () => {
    const asked: string[] = [];
    const delay = (id: string): number => {
      asked.push(id);
      return id.startsWith('slow') ? 1 : 0;
    };
    const { time, queues, work } = setup({ threads: 1, delay });
    const ids = ['fast', 'slow', 'slow too', ...Array.from({ length: 50 }, (_, i) => `other ${i}`)];
    for (const id of ids) queues.addQueue(id, source(id));
    const inner = work(100);
    let count = 0;
    const run = queues.run(async (item, id) => {
      await inner(item, id);
      count += 1;
      // The delay is read when a queue is created again.
      if (count === 5) for (const known of ['fast', 'slow']) queues.push(known, 'again');
      if (count === 25) queues.push('slow too', 'again');
    });
    await time.pass();
    await run;
    expect(asked.slice(ids.length)).toEqual(['fast', 'slow too']);
    expect(count).toBe(ids.length + 3);
  });

  it('has items of several sources, and items found meanwhile', async () => {
    const { time, queues, log, work } = setup({ delay: () => 0 });
    queues.addQueue('a', source('1', '2'));
    queues.addQueue('a', source());
    queues.addQueue('a', source('3'));
    const inner = work(0);
    await drain(queues, time, async (item, queue) => {
      if (item === '1') queues.push('a', 'x');
      if (item === '2') queues.push('b', 'y');
      return inner(item, queue);
    });
    expect(log.map(({ item }) => item).sort()).toEqual(['1', '2', '3', 'x', 'y']);
  });

  it('takes an item back as the next one, also at once and often', async () => {
    const { time, queues, starts, log } = setup();
    queues.addQueue('a', source('1', '2', '3', '4'));
    let refused = 0;
    await drain(queues, time, async (item, queue) => {
      if (item === '2' && ++refused <= 20) {
        queues.requeue(queue, item);
        if (refused > 1) queues.pause(queue, 0.1);
        return 'no_request';
      }
      log.push({ queue, item, start: time.clock(), end: 0 });
      return undefined;
    });
    expect(starts()).toEqual(['1@0', '2@2900', '3@3900', '4@4900']);
  });

  it('waits its delay for an item that sent a request and was put back', async () => {
    const { time, queues, log, starts } = setup();
    queues.addQueue('a', source('1', '2'));
    await drain(queues, time, async (item, queue) => {
      log.push({ queue, item, start: time.clock(), end: 0 });
      if (log.length === 1) queues.requeue(queue, item);
    });
    expect(starts()).toEqual(['1@0', '1@1000', '2@2000']);
  });
});

describe('many queues', () => {
  it('are served by a limited number of threads, the longest waiting first', async () => {
    const { time, queues, work, starts } = setup({ threads: 2, delay: () => 0 });
    for (const id of ['a', 'b', 'c']) for (const i of [1, 2, 3]) queues.push(id, `${id}${i}`);
    await drain(queues, time, work(100));
    expect(starts()).toEqual(['a1@0', 'b1@0', 'c1@100', 'a2@100', 'b2@200', 'c2@200', 'a3@300', 'b3@300', 'c3@400']);
  });

  it('have one timer while they wait, and few items', async () => {
    const { time, queues, work, log, t0 } = setup({ threads: 50, delay: () => 10 });
    const count = 10_000;
    let read = 0;
    let open = 0;
    for (let i = 0; i < count; i++) {
      let left = 2;
      const next = async (): Promise<IteratorResult<string>> => {
        if (left === 2) open++;
        if (left-- > 0) return { done: false, value: String(++read) };
        open--;
        return { done: true, value: undefined };
      };
      queues.addQueue(`host${i}`, { next });
    }
    const run = queues.run(work(0));
    await time.flush();
    expect(open).toBeLessThanOrEqual(100);
    expect(time.pending()).toBeLessThanOrEqual(51);
    await time.pass(t0);
    expect(log.length).toBe(count);
    expect(time.pending()).toBe(1);
    const timersBefore = time.set();
    await time.pass(t0 + 9_999);
    expect(time.set()).toBe(timersBefore);
    await time.pass();
    await run;
    expect(log.length).toBe(2 * count);
  });

  it.each([1, 2, 3, 4, 5, 6])('obey their delays, and each is served (random %s)', async (seed) => {
    const random = generator(seed);
    const threads = 1 + random(6);
    const threadsPerQueue = seed % 2 ? 1 : 1 + random(3);
    const ids = Array.from({ length: 30 }, (_, i) => `q${i}`);
    const delays = new Map(ids.map((id) => [id, random(4) * random(1000)]));
    const delay = (id: string): number => (delays.get(id) ?? 0) / 1000;
    // Delays only grow, so the first ones hold throughout.
    const initial = new Map(delays);
    const { time, queues, work, log, t0 } = setup({ threads, threadsPerQueue, delay });
    const expected: string[] = [];
    const barred = new Map<string, number>();
    const item = (id: string): string => {
      const made = `${id}-${expected.length}`;
      expected.push(made);
      return made;
    };
    for (const id of ids) {
      const items = Array.from({ length: random(20) }, () => item(id));
      queues.addQueue(
        id,
        (async function* () {
          for (const one of items) {
            if (random(5) === 0) await time.sleep(random(300));
            yield one;
          }
        })(),
      );
      if (random(5) > 0) continue;
      barred.set(id, t0 + random(5000));
      queues.pause(id, ((barred.get(id) ?? 0) - time.clock()) / 1000);
    }
    const inner = work(() => random(3) * random(400));
    let inWork = 0;
    await drain(queues, time, async (one, id) => {
      expect(++inWork).toBeLessThanOrEqual(threads);
      if (random(10) === 0) {
        const other = ids[random(ids.length)] ?? '';
        queues.push(other, item(other));
      }
      if (random(10) === 0) {
        const raised = (delays.get(id) ?? 0) + random(500);
        delays.set(id, raised);
        queues.setDelay(id, raised / 1000);
      }
      await inner(one, id);
      inWork--;
    });
    expect(log.map((entry) => entry.item).sort()).toEqual(expected.sort());
    for (const id of ids) {
      const own = log.filter(({ queue }) => queue === id);
      for (const [i, entry] of own.entries()) {
        expect(entry.start).toBeGreaterThanOrEqual(barred.get(id) ?? 0);
        const overlapping = own.filter(({ start, end }) => start <= entry.start && end > entry.start);
        expect(overlapping.length).toBeLessThanOrEqual(threadsPerQueue);
        const before = own[i - 1];
        if (!before) continue;
        const from = threadsPerQueue === 1 ? before.end : before.start;
        expect(entry.start - from).toBeGreaterThanOrEqual(initial.get(id) ?? 0);
      }
    }
  });
});

describe('a turn', () => {
  it('waits for the delay of its queue and counts as one of its items', async () => {
    const { time, queues, work, starts, log, t0 } = setup();
    queues.addQueue('a', source('1', '2', '3'));
    const ask = async (): Promise<void> => {
      log.push({ queue: 'a', item: 'turn', start: time.clock(), end: 0 });
      await time.sleep(200);
    };
    const told: unknown[] = [];
    let isAsked = false;
    await drain(queues, time, async (item, queue) => {
      if (!isAsked) void queues.runTask('a', ask).then((isDone) => told.push(isDone, time.clock() - t0));
      isAsked = true;
      await work(300)(item, queue);
    });
    expect(starts()).toEqual(['1@0', 'turn@1300', '2@2500', '3@3800']);
    expect(told).toEqual([true, 1500]);
  });

  it('creates its queue if necessary, and delays the next item there', async () => {
    const { time, queues, work, starts, log } = setup();
    queues.push('a', '1');
    await drain(queues, time, async (item, queue) => {
      await work(0)(item, queue);
      if (item !== '1') return;
      await queues.runTask('b', async () => void log.push({ queue: 'b', item: 'turn', start: time.clock(), end: 0 }));
      queues.push('b', '2');
    });
    expect(starts()).toEqual(['1@0', 'turn@0', '2@1000']);
  });

  it('causes no delay if it sent no request', async () => {
    const { time, queues, work, starts } = setup();
    queues.addQueue('a', source('1', '2'));
    for (let i = 0; i < 3; i++) void queues.runTask('a', async () => 'no_request');
    await drain(queues, time, work(0));
    expect(starts()).toEqual(['1@0', '2@1000']);
  });

  it('comes before items, but if many turns wait, every second place is for an item', async () => {
    const { time, queues, work, starts, log } = setup();
    queues.addQueue('a', source('1', '2', '3'));
    for (const item of ['t', 'u', 'v', 'w', 'x']) {
      void queues.runTask('a', async () => void log.push({ queue: 'a', item, start: time.clock(), end: 0 }));
    }
    await drain(queues, time, work(0));
    const order = starts().map((start) => start.split('@')[0]);
    expect(order.slice(0, 2)).toContain('1');
    expect(order.join('')).toMatch(/^(t1u2v3wx|tu1v2w3x)$/);
    expect(starts().at(-1)).toBe('x@7000');
  });

  it("rejects only its caller's promise if it fails", async () => {
    const { time, queues, work, starts } = setup();
    queues.addQueue('a', source('1', '2'));
    const failed = queues
      .runTask('a', () => Promise.reject(new Error('broken')))
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    await drain(queues, time, work(0));
    expect(await failed).toEqual(new Error('broken'));
    expect(starts()).toEqual(['1@1000', '2@2000']);
  });

  it('resolves to false without being run after an abort or a failure', async () => {
    for (const isAborted of [true, false]) {
      const { time, queues, t0 } = setup({ threads: 1 });
      const controller = new AbortController();
      const told: boolean[] = [];
      queues.addQueue('a', source('1', '2'));
      const run = queues
        .run(async (_item, id) => {
          const wait = queues.runTask('b', () => Promise.reject(new Error('never')));
          queues.pause('b', 100);
          told.push(await queues.suspend(id, wait));
          told.push(await queues.runTask('b', () => Promise.reject(new Error('never'))));
        }, controller.signal)
        .catch((error: unknown) => error);
      if (!isAborted) queues.addQueue('c', { next: () => Promise.reject(new Error('broken')) });
      await time.flush();
      if (isAborted) {
        await time.pass(t0 + 50);
        expect(told).toEqual([]);
        controller.abort();
      }
      expect(await run).toEqual(isAborted ? undefined : new Error('broken'));
      expect(told).toEqual([false, false]);
      expect(time.pending()).toBe(0);
    }
  });
});

describe('an item that waits elsewhere', () => {
  it('holds up the others of its queue, and no other queue', async () => {
    const { time, queues, work, starts } = setup({ threads: 1 });
    queues.addQueue('a', source('a1', 'a2'));
    queues.addQueue('b', source('b1', 'b2'));
    await drain(queues, time, async (item, queue) => {
      await work(0)(item, queue);
      if (item === 'a1') await queues.suspend('a', time.sleep(5000));
    });
    expect(starts()).toEqual(['a1@0', 'b1@0', 'b2@1000', 'a2@6000']);
  });

  it('may wait for a turn in a queue whose item waits for a turn in its own', async () => {
    for (const threads of [1, 2, 10]) {
      const { time, queues, work, starts, log } = setup({ threads });
      queues.addQueue('a', source('a1', 'a2'));
      queues.addQueue('b', source('b1', 'b2'));
      await drain(queues, time, async (item, id) => {
        await work(0)(item, id);
        const other = id === 'a' ? 'b' : 'a';
        if (!item.endsWith('1')) return;
        for (const queue of [other, id, other]) {
          const name = `${item}>${queue}`;
          const ask = async () => void log.push({ queue, item: name, start: time.clock(), end: 0 });
          expect(await queues.suspend(id, queues.runTask(queue, ask))).toBe(true);
        }
      });
      expect(starts().sort()).toHaveLength(10);
      for (const queue of ['a', 'b']) {
        const times = log.filter((entry) => entry.queue === queue).map(({ start }) => start);
        for (let i = 1; i < times.length; i++) expect(times[i]! - times[i - 1]!).toBeGreaterThanOrEqual(1000);
      }
    }
  });

  it('keeps the run alive, and its failed wait only rejects the promise of its caller', async () => {
    const { time, queues } = setup();
    queues.push('a', '1');
    let failure: unknown;
    await drain(queues, time, async () => {
      const wait = time.sleep(7000).then(() => Promise.reject(new Error('broken')));
      await queues.suspend('a', wait).catch((error: unknown) => (failure = error));
    });
    expect(failure).toEqual(new Error('broken'));
  });

  it('and turns, at random, end and obey the limits and delays', async () => {
    for (let seed = 1; seed <= 60; seed++) {
      const below = generator(seed);
      const threads = 1 + below(3);
      const threadsPerQueue = 1 + below(2);
      const { time, queues, t0 } = setup({ threads, threadsPerQueue });
      const ids = ['a', 'b', 'c', 'd'].slice(0, 2 + below(3));
      const busy = new Map<string, number>();
      const last = new Map<string, number>();
      let total = 0;
      let done = 0;
      const ask = async (id: string): Promise<void> => {
        expect(time.clock() - (last.get(id) ?? -Infinity), `seed ${seed}`).toBeGreaterThanOrEqual(1000);
        busy.set(id, (busy.get(id) ?? 0) + 1);
        expect(busy.get(id)).toBeLessThanOrEqual(threadsPerQueue);
        expect(++total).toBeLessThanOrEqual(threads);
        if (threadsPerQueue > 1) last.set(id, time.clock());
        await time.sleep(below(2) * below(3000));
        if (threadsPerQueue === 1) last.set(id, time.clock());
        busy.set(id, busy.get(id)! - 1);
        total--;
      };
      for (const id of ids) queues.addQueue(id, source(...Array.from({ length: 5 }, (_, i) => `${id}${i}`)));
      await drain(queues, time, async (_item, id) => {
        await ask(id);
        for (let hops = below(4); hops > 0; hops--) {
          const to = ids[below(ids.length)]!;
          expect(
            await queues.suspend(
              id,
              queues.runTask(to, () => ask(to)),
            ),
          ).toBe(true);
        }
        done++;
      });
      expect(done).toBe(ids.length * 5);
      expect(time.clock()).toBeGreaterThan(t0);
    }
  });
});

describe('the end', () => {
  it('comes at once if there is nothing to do', async () => {
    const { time, queues, work } = setup();
    await drain(queues, time, work(0));
    queues.pause('a', Infinity);
    queues.addQueue('b', source());
    await drain(queues, time, work(0));
  });

  it('after an abort comes when the present items are done', async () => {
    const { time, queues, work, log, t0 } = setup({ threads: 2 });
    const closed: string[] = [];
    for (const id of ['a', 'b', 'c']) {
      const items = source(`${id}1`, `${id}2`);
      const close = async (): Promise<IteratorResult<string>> => ({ done: true, value: void closed.push(id) });
      queues.addQueue(id, { next: () => items.next(), return: close });
    }
    const controller = new AbortController();
    let done = false;
    const run = queues.run(work(1000), controller.signal).then(() => (done = true));
    await time.pass(t0 + 500);
    controller.abort();
    await time.flush();
    expect(done).toBe(false);
    await time.pass();
    await run;
    expect(log.map(({ item, end }) => [item, end - t0])).toEqual([
      ['a1', 1000],
      ['b1', 1000],
    ]);
    expect(closed).toContain('c');
    expect(time.pending()).toBe(0);
  });

  it('comes before the start if the signal is already aborted', async () => {
    const { queues, work, log } = setup();
    queues.push('a', '1');
    await queues.run(work(0), AbortSignal.abort());
    expect(log).toEqual([]);
  });

  it('is an error if a worker, a source or the feeder fails, after the present items are done', async () => {
    const error = new Error('broken');
    const failing: ((queues: FetchQueues<string>) => [FetchWorker<string>, Promise<unknown>?])[] = [
      () => [
        async (item) => {
          if (item === 'b1') throw error;
        },
      ],
      (queues) => {
        queues.addQueue('c', { next: () => Promise.reject(error) });
        return [async () => undefined];
      },
      () => [async () => undefined, Promise.reject(error)],
    ];
    for (const make of failing) {
      const { time, queues, work, log } = setup();
      queues.addQueue('a', source('a1', 'a2'));
      queues.addQueue('b', source('b1', 'b2'));
      const [worker, feeding] = make(queues);
      const inner = work(100);
      let failure: unknown;
      const run = queues
        .run(
          async (item, id) => {
            const result = await worker(item, id);
            await inner(item, id);
            return result;
          },
          undefined,
          feeding,
        )
        .catch((thrown: unknown) => (failure = thrown));
      await time.pass();
      await run;
      expect(failure).toBe(error);
      expect(log.every(({ end }) => end < Infinity)).toBe(true);
      expect(log.length).toBeLessThan(4);
    }
  });
});

/** Whole numbers from 0 up to a bound, the same ones for a seed. */
function generator(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
