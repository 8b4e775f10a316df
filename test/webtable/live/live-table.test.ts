import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi, onTestFinished } from 'vitest';
import { CrawlError } from '../../../packages/errors/index.js';
import {
  MemoryStore,
  openLevelStore,
  openSharedStore,
  type SharedStore,
  type SharedStoreOptions,
  type Store,
} from '../../../webtable/index.js';
import { readChunk, scanChunks } from '../../../webtable/live/scan-chunks.js';
import { connectTo, type Connection } from '../../../webtable/live/connection.js';
import { encodeMessage } from '../../../webtable/live/messages.js';
import { serveTable, type LiveServer } from '../../../webtable/live/server.js';
import type { Service } from '../../../webtable/live/answer-request.js';
import { createLocks, type Exclusive } from '../../../packages/util/index.js';
import { getPlain, put, scanPlain } from '../../support/stores/plain-rows.js';
import { testFolder } from '../../support/files/temp-folder.js';

let directory: string;

beforeEach(() => void (directory = testFolder()));

async function share(options: Partial<SharedStoreOptions> = {}): Promise<SharedStore> {
  const store = await openSharedStore({
    directory,
    open: () => openLevelStore(directory),
    name: 'test',
    version: '1',
    ...options,
  });
  onTestFinished(() => store.close());
  await store.serve();
  return store;
}

const socketOf = (folder: string): string => join(folder, 'live', 'socket');
const locked = { name: 'CrawlError', code: 'TABLE_LOCKED' };

it.skipIf(process.platform === 'win32')('is opened if a long path cannot be reached by a link', async () => {
  const deep = join(directory, 'd'.repeat(120));
  const { TMPDIR } = process.env;
  process.env['TMPDIR'] = join(directory, 'none');
  try {
    expect(await connectTo(deep, '1')).toBeUndefined();
    const store = await share({ directory: deep, open: () => openLevelStore(deep) });
    expect([store.owner, store.notServed]).toEqual([undefined, expect.stringContaining('ENOENT')]);
  } finally {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  }
});

describe('a table that is open elsewhere', () => {
  it('is read and written through the process that has it open, and opened after that has closed it', async () => {
    const first = await share();
    const second = await share({ name: 'second' });
    expect([first.owner, second.owner]).toMatchObject([undefined, { pid: process.pid, name: 'test' }]);
    await first.write('webpage', [put('a', { 'm:st': '1' })]);
    expect(await getPlain(second, ['a'], ['m'])).toEqual([{ key: 'a', cells: [['m:st', '1']] }]);
    await second.write('webpage', [put('b', { 'm:st': '2' })]);
    expect(await getPlain(first, ['b'], ['m'])).toEqual([{ key: 'b', cells: [['m:st', '2']] }]);
    expect(first.outsideChanges).toBe(1);
    await first.close();
    expect(await scanPlain(second, 'webpage', { columns: ['m'] })).toHaveLength(2);
    expect(second.owner).toBeUndefined();
    // From now on it serves the table.
    expect((await share()).owner).toMatchObject({ name: 'second' });
  });

  it('continues in the middle of a scan when the process closes the table', async () => {
    const first = await share();
    const keys = Array.from({ length: 3000 }, (_, i) => `k${String(i).padStart(4, '0')}`);
    await first.write(
      'webpage',
      keys.map((key) => put(key, { 'm:st': '1' })),
    );
    const second = await share();
    const seen: string[] = [];
    for await (const { key } of second.scan('webpage', { columns: ['m'] })) {
      seen.push(key);
      if (seen.length === 1500) await first.close();
    }
    expect(seen).toEqual(keys);
    expect(second.owner).toBeUndefined();
  });

  it('cannot be opened alone, and is waited for', async () => {
    const first = await share({ name: 'crawl', alone: true });
    const refused = share({ alone: true });
    await expect(refused).rejects.toMatchObject(locked);
    await expect(refused).rejects.toThrow(`process ${process.pid} (crawl)`);
    const second = await share();
    await expect(second.withoutYielding(() => Promise.resolve())).rejects.toMatchObject(locked);
    await expect(second.exclusive('generate', () => Promise.resolve())).rejects.toMatchObject(locked);
    await second.close();

    let told: unknown;
    const waiting = share({
      alone: true,
      waitSeconds: 1000,
      onWait(owner) {
        told = owner?.name;
        void first.close();
      },
    });
    expect((await waiting).owner).toBeUndefined();
    expect(told).toBe('crawl');
  });

  it('is no longer waited for after an abort', async () => {
    await share({ alone: true });
    const stop = new AbortController();
    const waiting = share({ alone: true, waitSeconds: 1000, signal: stop.signal, onWait: () => stop.abort() });
    await expect(waiting).rejects.toMatchObject(locked);
  });

  it('is refused to another version, with an error that names both', async () => {
    await share();
    const refused = share({ version: '2' });
    await expect(refused).rejects.toMatchObject(locked);
    await expect(refused).rejects.toThrow(/process \d+ \(test\) of webcrawl 1, and this is 2/);
  });

  it('is opened by one of many at the same time, and used by all', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => share()));
    expect(stores.filter(({ owner }) => owner === undefined)).toHaveLength(1);
    await Promise.all(stores.map((store, i) => store.write('webpage', [put(`k${i}`, { 'm:st': '1' })])));
    // They close it one after the other, and the rest continue.
    for (const store of stores) {
      expect(await scanPlain(store, 'webpage', { columns: ['m'] })).toHaveLength(8);
      await store.close();
    }
  });

  it('takes locks over all processes', async () => {
    const stores = [await share(), await share(), await share()];
    let inside = 0;
    let most = 0;
    const enter = async (): Promise<void> => {
      most = Math.max(most, (inside += 1));
      await stores[0]!.write('webpage', [put('a', { 'm:st': `${inside}` })]);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 30 }, (_, i) => stores[i % 3]!.exclusive('rows', enter)));
    expect(most).toBe(1);
  });

  it('waits at its end for a lock that another process holds', async () => {
    const first = await share();
    const second = await share();
    let closing: Promise<void> | undefined;
    await second.exclusive('rows', async () => {
      closing = first.close();
      await second.write('webpage', [put('a', { 'm:st': '1' })]);
    });
    await closing;
    expect(await getPlain(second, ['a'], ['m'])).toEqual([{ key: 'a', cells: [['m:st', '1']] }]);
  });
});

describe('the socket', () => {
  it('can be reached by its user only, and is removed when the table is closed', async () => {
    const store = await share();
    expect((await stat(join(directory, 'live'))).mode & 0o777).toBe(0o700);
    expect((await stat(socketOf(directory))).mode & 0o777).toBe(0o600);
    await store.close();
    expect(await readdir(join(directory, 'live'))).toEqual([]);
  });

  it('works in a folder whose name is longer than an address may be', async () => {
    directory = join(directory, 'd'.repeat(120));
    const first = await share();
    await stat(socketOf(directory));
    expect((await share()).owner).toBeDefined();
    await first.close();
  });

  it.each(['a file', 'a folder'])('of an earlier process, or %s in its place, blocks no process', async (what) => {
    await mkdir(join(directory, 'live'));
    if (what === 'a file') await writeFile(socketOf(directory), '');
    else await mkdir(socketOf(directory));
    const store = await share();
    expect(store.owner).toBeUndefined();
    await store.write('webpage', [put('a', { 'm:st': '1' })]);
    // A folder is not removed; the table is used without other processes.
    expect(store.notServed === undefined).toBe(what === 'a file');
  });

  it('does not exist if it is not wanted', async () => {
    await share({ serve: false });
    await expect(readdir(join(directory, 'live'))).rejects.toThrow('ENOENT');
    expect(await connectTo(directory, '1')).toBeUndefined();
  });

  it('of a process that hangs up at once is ignored', async () => {
    await mkdir(join(directory, 'live'));
    const rude = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => rude.listen(socketOf(directory), resolve));
    onTestFinished(() => void rude.close());
    expect((await share()).owner).toBeUndefined();
  });
});

describe('a client', () => {
  let store: MemoryStore;
  let exclusive: Exclusive;
  let server: LiveServer;

  async function serve(leaseMs: number, more: Partial<Service> = {}): Promise<void> {
    store = new MemoryStore();
    exclusive = createLocks();
    server = await serveTable(directory, {
      store,
      owner: { pid: 1, name: 'test', version: '1', alone: true },
      exclusive,
      status: () => Promise.resolve({ fine: true }),
      leaseMs,
      ...more,
    });
    onTestFinished(() => server.close());
  }

  async function dial(): Promise<{ socket: Socket; closed: Promise<void> }> {
    const socket = createConnection(socketOf(directory));
    onTestFinished(() => void socket.destroy());
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    await new Promise((resolve) => socket.once('connect', resolve));
    return { socket, closed };
  }

  async function connect(): Promise<Connection> {
    const connection = (await connectTo(directory, '1'))!;
    onTestFinished(() => connection.close());
    return connection;
  }
  const change = { op: 'write', table: 'webpage', changes: [{ key: 'a', put: [['m:st', 1]] }] };

  it.each([
    ['bytes that are no message', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a message that is too long', Buffer.from([0xff, 0xff, 0xff, 0xff, 0])],
    ['a message shorter than it says', Buffer.from([0, 0, 0, 1, 0])],
    ['a head longer than its message', Buffer.from([0, 0, 0, 4, 0, 0, 1, 0])],
    ['a head that is no JSON', Buffer.from([0, 0, 0, 5, 0, 0, 0, 1, 0x7b])],
    ['a head that is no object', encodeMessage('text' as unknown as object)],
  ])('that sends %s is dropped, and others are served', async (_, bytes) => {
    await serve(60_000);
    const { socket, closed } = await dial();
    socket.resume();
    socket.write(bytes);
    await closed;
    expect((await (await connect()).request({ op: 'status' })).head['value']).toEqual({ fine: true });
  });

  it.each<[string, object]>([
    ['an unknown request', { op: 'drop' }],
    ['a table that is none', { op: 'get', table: '__proto__', keys: [], columns: ['m'] }],
    ['keys that are none', { op: 'get', table: 'webpage', keys: 'all', columns: ['m'] }],
    ['a key that is none', { op: 'get', table: 'webpage', keys: [{}], columns: ['m'] }],
    ['no range', { op: 'scan', table: 'webpage', columns: ['m'] }],
    ['changes that are none', { op: 'write', table: 'webpage', changes: [null] }],
    ['more bytes than it sent', { op: 'write', table: 'webpage', changes: [{ key: 'a', put: [['m:st', 99]] }] }],
    ['a size below nothing', { op: 'write', table: 'webpage', changes: [{ key: 'a', put: [['m:st', -1]] }] }],
    ['a lock that is not for others', { op: 'lock', name: 'fetch' }],
  ])('that requests %s gets an error, and continues', async (_, head) => {
    await serve(60_000);
    const connection = await connect();
    await expect(connection.request(head)).rejects.toBeInstanceOf(CrawlError);
    await connection.request(change, [Buffer.from('1')]);
    expect(await scanPlain(store, 'webpage', { columns: ['m'] })).toHaveLength(1);
  });

  it('that holds the lock too long loses it, and its later writes are not stored', async () => {
    await serve(50);
    const connection = await connect();
    await connection.request({ op: 'lock', name: 'rows' });
    // The lock is free again, and the next process gets it.
    await exclusive('rows', () => Promise.resolve());
    await connection.lost;
    await expect(connection.request(change, [Buffer.from('1')])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(await scanPlain(store, 'webpage', { columns: ['m'] })).toEqual([]);
  });

  it('that disconnects while it holds the lock, or waits for it, frees it', async () => {
    await serve(60_000);
    const [owner, waiter] = [await connect(), await connect()];
    await owner.request({ op: 'lock', name: 'rows' });
    const waiting = waiter.request({ op: 'lock', name: 'rows' }).catch(() => 'lost');
    waiter.close();
    expect(await waiting).toBe('lost');
    owner.close();
    await exclusive('rows', () => Promise.resolve());
  });

  it('that loses the lock during its own write frees it when that write ends', async () => {
    const order: string[] = [];
    await serve(50, {
      exclusive: (name, task) =>
        exclusive(name, async () => {
          const result = await task();
          order.push('free');
          return result;
        }),
    });
    const { write } = store;
    let finish = (): void => {};
    const isLate = new Promise<void>((resolve) => (finish = resolve));
    onTestFinished(() => finish());
    store.write = async (...args) => {
      await isLate;
      await write.apply(store, args);
      order.push('written');
    };
    const connection = await connect();
    await connection.request({ op: 'lock', name: 'rows' });
    const writing = connection.request(change, [Buffer.from('1')]).catch(() => 'lost');
    await connection.lost;
    expect(await writing).toBe('lost');
    expect(order).toEqual([]);
    finish();
    await exclusive('rows', () => Promise.resolve());
    expect(order).toEqual(['written', 'free']);
  });

  it('that begins a message and does not complete it is dropped, and others are served', async () => {
    await serve(60_000, { messageMs: 20 });
    const other = await connect();
    const { socket, closed } = await dial();
    socket.resume();
    socket.write(encodeMessage({ id: 1, op: 'status' }).subarray(0, -1));
    await closed;
    expect((await other.request({ op: 'status' })).head['value']).toEqual({ fine: true });
    other.close();
  });

  it('that holds the most bytes is dropped if all together hold too many', async () => {
    await serve(60_000, { mostHeld: 1000 });
    const [large, small] = [await dial(), await dial()];
    // A message of a thousand bytes without its end.
    const begun = (bytes: number): Buffer => Buffer.concat([Buffer.from([0, 0, 3, 232]), Buffer.alloc(bytes - 4)]);
    large.socket.resume();
    large.socket.write(begun(600));
    small.socket.write(begun(500));
    await large.closed;
    expect(small.socket.destroyed).toBe(false);
    const other = await connect();
    expect((await other.request({ op: 'status' })).head['value']).toEqual({ fine: true });
    other.close();
  });

  it('gets the lock again as soon as it has released it, during its own write', async () => {
    await serve(60_000);
    const { write } = store;
    let finish = (): void => {};
    const isLate = new Promise<void>((resolve) => (finish = resolve));
    store.write = async (...args) => {
      await isLate;
      await write.apply(store, args);
    };
    const connection = await connect();
    await connection.request({ op: 'lock', name: 'rows' });
    const writing = connection.request(change, [Buffer.from('1')]);
    const unlocking = connection.request({ op: 'unlock' });
    const again = unlocking.then(() => connection.request({ op: 'lock', name: 'rows' }));
    // The earlier requests have begun when this one is answered; the request for the lock has when the second one is.
    await connection.request({ op: 'status' });
    await connection.request({ op: 'status' });
    finish();
    await Promise.all([writing, again]);
  });

  it('waits for an answer as long as the working process shows signs of life', async () => {
    await serve(60_000);
    let finish = (): void => {};
    const isLate = new Promise<void>((resolve) => (finish = resolve));
    onTestFinished(() => finish());
    const { get } = store;
    store.get = async (...args) => {
      await isLate;
      return get.apply(store, args);
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const connection = await connect();
    const reading = connection.request({ op: 'get', table: 'webpage', keys: ['a'], columns: ['m'] });
    for (let minutes = 0; minutes < 5; minutes++) {
      await connection.request({ op: 'status' });
      vi.advanceTimersByTime(30_000);
      await connection.request({ op: 'status' });
      vi.advanceTimersByTime(30_000);
    }
    expect(connection.isLost).toBe(false);
    finish();
    expect((await reading).head['rows']).toEqual([null]);
  });

  it('that sends requests for ever and never reads fills no memory, and does not delay the end', async () => {
    await serve(100);
    await store.write(
      'webpage',
      Array.from({ length: 200 }, (_, i) => put(`k${i}`, { 'm:st': 'x'.repeat(10_000) })),
    );
    let scans = 0;
    const { scan } = store;
    store.scan = (...args) => {
      scans += 1;
      return scan.apply(store, args);
    };
    const { socket, closed } = await dial();
    const ask = encodeMessage({ id: 1, op: 'scan', table: 'webpage', columns: ['m'], range: { start: '' } });
    for (let i = 0; i < 5000; i++) socket.write(ask);
    // Other clients get answers meanwhile.
    const other = await connect();
    for (let i = 0; i < 20; i++) await other.request({ op: 'status' });
    await server.close();
    socket.resume();
    await closed;
    expect(scans).toBeLessThan(100);
  });
});

describe('batches', () => {
  it('of one row give the same scan, with ranges and a limit', async () => {
    const store: Store = new MemoryStore();
    const keys = ['a', 'a ', 'a:', 'ab', 'b', 'b/', 'c'];
    await store.write(
      'webpage',
      keys.map((key, i) => put(key, { 'm:a': `${i % 2}`, 'l:i:x': key })),
    );
    const ranges = [{ start: 'a ', end: 'b0' }, { start: 'a' }];
    for (const options of [{}, { ranges }, { ranges, limit: 3 }, { ranges, limit: 5 }, { limit: 0 }]) {
      const scan = { columns: ['m', 'l'], ...options };
      const found: string[] = [];
      for await (const { key } of scanChunks(scan, (batch) => readChunk(store, 'webpage', batch, 1))) found.push(key);
      expect(found).toEqual((await scanPlain(store, 'webpage', scan)).map(({ key }) => key));
    }
  });
});
