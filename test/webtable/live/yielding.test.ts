import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type * as FileSystem from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi, onTestFinished } from 'vitest';
import { openLevelStore, openSharedStore, type SharedStore, type SharedStoreOptions } from '../../../webtable/index.js';
import { ConnectionLost, connectTo, type Connection } from '../../../webtable/live/connection.js';
import { waitUntilYielded } from '../../../webtable/live/wait-until-yielded.js';
import { turns, until } from '../../support/events.js';
import { getPlain, put, scanPlain } from '../../support/stores/plain-rows.js';
import { testFolder } from '../../support/files/temp-folder.js';

const WORKER = fileURLToPath(new URL('yielding-reader.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../dist/webtable/index.js', import.meta.url));
const LONG = 60_000;

/** Every chmod waits for this gate. */
const gate = vi.hoisted(() => ({ open: Promise.resolve(), waiting: 0 }));
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof FileSystem>();
  const chmod: typeof FileSystem.chmod = async (...args) => {
    gate.waiting += 1;
    await gate.open;
    gate.waiting -= 1;
    await real.chmod(...args);
  };
  return { ...real, chmod };
});

let directory: string;

beforeEach(() => void (directory = testFolder()));

async function share(options: Partial<SharedStoreOptions> = {}): Promise<SharedStore> {
  const open = (): ReturnType<typeof openLevelStore> => openLevelStore(directory);
  const store = await openSharedStore({ directory, open, name: 'test', version: '1', ...options });
  onTestFinished(() => store.close());
  await store.serve();
  return store;
}

it('yields the table to a process that needs it alone, reads it through that process, and opens it again', async () => {
  const reader = await share({ name: 'serve', yields: true });
  await reader.write('webpage', [put('a', { 'm:st': '1' })]);
  for (const round of [1, 2]) {
    const alone = await share({ name: 'crawl', alone: true });
    expect(alone.owner).toBeUndefined();
    await alone.write('webpage', [put('b', { 'm:st': String(round) })]);
    expect(await getPlain(reader, ['b'], ['m'])).toEqual([{ key: 'b', cells: [['m:st', String(round)]] }]);
    expect(reader.owner).toMatchObject({ name: 'crawl' });
    await alone.close();
    expect(await scanPlain(reader, 'webpage', { columns: ['m'] })).toHaveLength(2);
    expect(reader.owner).toBeUndefined();
  }
});

it('yields it also to a process that read through it until now, and in the middle of a scan', async () => {
  const reader = await share({ yields: true });
  const keys = Array.from({ length: 2500 }, (_, i) => `k${String(i).padStart(5, '0')}`);
  await reader.write(
    'webpage',
    keys.map((key) => put(key, { 'm:st': '1' })),
  );
  const other = await share({ name: 'job' });
  expect(other.owner).toBeDefined();
  const seen: string[] = [];
  for await (const { key } of reader.scan('webpage', { columns: ['m'] })) {
    if (seen.push(key) === 10) {
      await other.withoutYielding(() => Promise.resolve(expect(other.owner).toBeUndefined()));
    }
  }
  expect(seen).toEqual(keys);
});

it('keeps it while it holds a lock or runs withoutYielding, and if it does not yield', async () => {
  const reader = await share({ yields: true });
  const locked = { code: 'TABLE_LOCKED' };
  await reader.exclusive('rows', async () => {
    await expect(share({ alone: true })).rejects.toMatchObject(locked);
  });
  await reader.withoutYielding(async () => {
    await expect(share({ alone: true })).rejects.toMatchObject(locked);
    await reader.exclusive('generate', () => Promise.resolve());
  });
  await reader.close();
  await share();
  await expect(share({ alone: true })).rejects.toMatchObject(locked);
  await expect((await share()).withoutYielding(() => Promise.resolve())).rejects.toMatchObject(locked);
});

it('opens the table again if no process has it open', async () => {
  const reader = await share({ yields: true });
  await reader.write('webpage', [put('a', { 'm:st': '1' })]);
  const alone = await share({ alone: true });
  await alone.close();
  expect(await scanPlain(reader, 'webpage', { columns: ['m'] })).toHaveLength(1);
  await reader.close();
  await reader.close();
});

it('yields it to a process that requests it before the reader has finished opening', async () => {
  const reader = await share({ yields: true });
  await reader.write('webpage', [put('a', { 'm:st': '1' })]);
  await (await share({ alone: true })).close();
  // The reader listens already, but its own open call has not returned.
  let open = (): void => {};
  gate.open = new Promise((resolve) => (open = resolve));
  const reading = getPlain(reader, ['a'], ['m']);
  await until(() => gate.waiting === 1);
  open();
  gate.open = new Promise((resolve) => (open = resolve));
  let early: Connection | undefined;
  await until(async () => (early = await connectTo(directory, '1')) !== undefined);
  expect(gate.waiting).toBe(1);
  expect((await early!.request({ op: 'yield' })).head).toMatchObject({ yields: true });
  open();
  await early!.lost;
  expect(early!.hasYielded).toBe(true);
  const alone = await share({ alone: true });
  expect(alone.owner).toBeUndefined();
  expect(await reading).toHaveLength(1);
});

it('is left to the job by all processes that read through the one that yielded it', async () => {
  const reader = await share({ yields: true });
  const second = await share({ name: 'second' });
  const third = await share({ name: 'third', yields: true });
  expect([second.owner, third.owner]).toEqual([expect.anything(), expect.anything()]);
  const reading: Promise<unknown>[] = [];
  const alone = await share({
    name: 'crawl',
    alone: true,
    async open() {
      reading.push(...[reader, second, third].map((each) => getPlain(each, ['a'], ['m'])));
      await turns();
      return openLevelStore(directory);
    },
  });
  await Promise.all(reading);
  for (const each of [reader, second, third]) expect(each.owner).toMatchObject({ name: 'crawl' });
  await alone.close();
  const stores = [reader, second, third];
  for (const each of stores) await getPlain(each, ['a'], ['m']);
  expect(stores.filter(({ owner }) => owner === undefined)).toHaveLength(1);
});

it('yields it to a job of another version, and then does not read through it', async () => {
  const reader = await share({ version: '1', yields: true });
  await expect(share({ version: '2' })).rejects.toThrow(/process \d+ \(test\) of webcrawl 1, and this is 2/);
  const alone = await share({ version: '2', alone: true });
  expect(alone.owner).toBeUndefined();
  await expect(getPlain(reader, ['a'], ['m'])).rejects.toMatchObject({ code: 'TABLE_LOCKED' });
  await alone.close();
  expect(await getPlain(reader, ['a'], ['m'])).toEqual([undefined]);
});

it('yields it after a verb of a third process has ended', async () => {
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => (begin = resolve));
  let finish = (): void => {};
  const isLate = new Promise<void>((resolve) => (finish = resolve));
  const addSeeds = async (): Promise<void> => {
    begin();
    await isLate;
    await reader.write('webpage', [put('late', { 'm:st': '1' })]);
  };
  const reader = await share({ yields: true, verbs: { 'add seeds': addSeeds, 'apply rules': addSeeds } });
  const injecting = await share({ name: 'inject' });
  const adding = injecting.inOwner('add seeds', [], () => Promise.resolve());
  await begun;
  const alone = share({ name: 'crawl', alone: true });
  await turns();
  finish();
  await adding;
  expect(await getPlain(await alone, ['late'], ['m'])).toHaveLength(1);
  expect(await getPlain(injecting, ['late'], ['m'])).toHaveLength(1);
  expect(injecting.owner).toMatchObject({ name: 'crawl' });
});

describe('a job that waits', () => {
  interface Other {
    readonly connection: Connection;
    readonly lose: () => void;
    readonly count: () => number;
  }

  /** A process that responds to requests to yield in the given way. */
  function otherWith(yields: (times: number) => boolean, isAlone = false): Other {
    let times = 0;
    let isLost = false;
    let onLost = (): void => {};
    const lost = new Promise<void>((resolve) => (onLost = resolve));
    const owner = { pid: 1, name: 'serve', version: '1', alone: isAlone };
    const connection: Connection = {
      owner,
      request() {
        if (isLost) return Promise.reject(new ConnectionLost(owner));
        times += 1;
        return Promise.resolve({ head: { yields: yields(times) }, bytes: Buffer.alloc(0), size: 0 });
      },
      get isLost() {
        return isLost;
      },
      hasYielded: true,
      lost,
      close() {},
    };
    const lose = (): void => {
      isLost = true;
      onLost();
    };
    return { connection, lose, count: () => times };
  }

  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('repeats the request while it is refused, and then waits until running requests have ended', async () => {
    const { connection, lose, count } = otherWith((times) => times > 10);
    const waiting = waitUntilYielded(connection);
    await vi.advanceTimersByTimeAsync(1050);
    expect(count()).toBe(11);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(count()).toBe(11);
    lose();
    expect(await waiting).toBe(true);
  });

  it('gives up after two seconds if it is always refused, and after fifteen if the yield does not end', async () => {
    const never = waitUntilYielded(otherWith(() => false).connection);
    const stuck = waitUntilYielded(otherWith(() => true).connection);
    await vi.advanceTimersByTimeAsync(2100);
    expect(await never).toBe(false);
    await vi.advanceTimersByTimeAsync(13_000);
    expect(await stuck).toBe(false);
  });

  it('sends no request to a process that needs the table alone, and waits only if told to', async () => {
    const { connection, count, lose } = otherWith(() => true, true);
    expect(await waitUntilYielded(connection)).toBe(false);
    const waiting = waitUntilYielded(connection, 1e10);
    await vi.advanceTimersByTimeAsync(60_000);
    lose();
    expect([await waiting, count()]).toEqual([true, 0]);
  });

  it('gives up on a process that does not respond after some seconds, and on an abort', async () => {
    const silent = { ...otherWith(() => true).connection, request: () => new Promise<never>(() => {}) };
    const waiting = waitUntilYielded(silent);
    await vi.advanceTimersByTimeAsync(5_100);
    expect(await waiting).toBe(false);
    const stop = new AbortController();
    const stopped = waitUntilYielded(silent, 0, stop.signal);
    stop.abort();
    expect(await stopped).toBe(false);
  });

  it('ends when its signal aborts', async () => {
    const stop = new AbortController();
    const waiting = waitUntilYielded(otherWith(() => true).connection, 0, stop.signal);
    await vi.advanceTimersByTimeAsync(100);
    stop.abort();
    expect(await waiting).toBe(false);
  });
});

it.skipIf(!existsSync(BUILT))(
  'gets it if the reader is killed while it yields (needs dist: node scripts/setup.mjs)',
  async () => {
    const child = spawn(process.execPath, [WORKER, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await said.next()).value).toBe('open');
    const waiting = share({ alone: true });
    expect((await said.next()).value).toBe('closing');
    child.kill('SIGKILL');
    const alone = await waiting;
    expect(alone.owner).toBeUndefined();
    expect(await getPlain(alone, ['a'], ['m'])).toHaveLength(1);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  },
  LONG,
);
