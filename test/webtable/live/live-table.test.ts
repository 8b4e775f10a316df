import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
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
import { PROTOCOL, encodeMessage } from '../../../webtable/live/messages.js';
import { serveTable, type LiveServer } from '../../../webtable/live/server.js';
import type { Service } from '../../../webtable/live/handle-request.js';
import { changeChecked, changeShared } from '../../../webtable/change-shared.js';
import { turns } from '../../support/events.js';
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

/** Takes the place of the process that has the table open. */
async function actAsOwner(meet: (socket: Socket) => void): Promise<Server> {
  await mkdir(join(directory, 'live'));
  const server = createServer(meet);
  await new Promise<void>((resolve) => server.listen(socketOf(directory), resolve));
  onTestFinished(() => void server.close());
  return server;
}

const greeting = (protocol: number): Buffer =>
  encodeMessage({ protocol, holder: { pid: 1, name: 'crawl', version: '1' } });

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
  it('is read through the process that has it open, and opened after that has closed it', async () => {
    const first = await share();
    const second = await share({ name: 'second' });
    expect([first.owner, second.owner]).toMatchObject([undefined, { pid: process.pid, name: 'test' }]);
    await first.write('webpage', [put('a', { 'm:st': '1' })]);
    expect(await getPlain(second, ['a'], ['m'])).toEqual([{ key: 'a', cells: [['m:st', '1']] }]);
    await first.close();
    expect(await scanPlain(second, 'webpage', { columns: ['m'] })).toHaveLength(1);
    expect(second.owner).toBeUndefined();
    // From now on it serves the table.
    expect((await share()).owner).toMatchObject({ name: 'second' });
  });

  it('takes changes of rules and meta from another process, and refuses those of rows and indexes', async () => {
    const first = await share();
    const second = await share();
    await second.write('meta', [put('a', { 'v:x': '1' })]);
    expect((await first.get('meta', ['a'], ['v']))[0]?.cells.size).toBe(1);
    expect(first.outsideChanges).toBe(1);
    const refused = second.write('webpage', [put('a', { 'm:st': '1' })]);
    await expect(refused).rejects.toMatchObject(locked);
    await expect(refused).rejects.toThrow(`process ${process.pid} (test)`);
    await expect(second.exclusive('rows', () => Promise.resolve())).rejects.toMatchObject(locked);
    expect(await scanPlain(first, 'webpage', { columns: ['m'] })).toEqual([]);
  });

  it('loses no change of a row that several processes change at the same time', async () => {
    const stores = [await share(), await share(), await share()];
    const raise = (store: SharedStore): Promise<void> =>
      changeShared(store, store.exclusive.bind(store), { table: 'meta', keys: ['a'], column: 'v:x' }, (_, row) => {
        const before = row?.cells.get('v:x');
        return { put: new Map([['v:x', Buffer.from(String(Number(before ? Buffer.from(before) : 0) + 1))]]) };
      });
    await Promise.all(Array.from({ length: 30 }, (_, i) => raise(stores[i % 3]!)));
    const [row] = await stores[2]!.get('meta', ['a'], ['v:x']);
    expect(Buffer.from(row!.cells.get('v:x')!).toString()).toBe('30');
  });

  it('is changed by a process that is closed meanwhile', async () => {
    const first = await share();
    const second = await share();
    const writing = second.write('meta', [put('a', { 'v:x': '1' })]);
    await second.close();
    await writing;
    expect((await first.get('meta', ['a'], ['v']))[0]?.cells.size).toBe(1);
  });

  it('is closed after the verbs that it has sent', async () => {
    let finish = (): void => {};
    const running = new Promise<void>((resolve) => (finish = resolve));
    const verb = (): Promise<unknown> => running.then(() => 'done');
    await share({ verbs: { 'add seeds': verb, 'apply rules': verb } });
    const second = await share();
    const called = second.inOwner('add seeds', [], () => Promise.resolve('here'));
    const closing = second.close();
    finish();
    await closing;
    expect(await called).toBe('done');
  });

  it('runs a verb in the process that has it open, and in the next process after that has closed it', async () => {
    const here = (): Promise<string> => Promise.resolve('here');
    const verbs = {
      'add seeds': async (...args: unknown[]) => args,
      'apply rules': () => Promise.reject(new CrawlError('USAGE', 'no', { hint: 'none' })),
    };
    const first = await share({ verbs });
    const second = await share();
    expect(await first.inOwner('add seeds', [1], here)).toBe('here');
    expect(await second.inOwner('add seeds', [1, { a: 'b' }], here)).toEqual([1, { a: 'b' }]);
    expect(first.outsideChanges).toBe(1);
    const failed = second.inOwner('apply rules', [], here);
    await expect(failed).rejects.toMatchObject({ code: 'USAGE', message: 'no', hint: 'none' });
    await first.close();
    expect(await second.inOwner('add seeds', [1], here)).toBe('here');
  });

  it('fails a verb or a change if the process is killed meanwhile, and is then opened for the next call', async () => {
    const killed = await actAsOwner((socket) => {
      socket.write(greeting(PROTOCOL));
      socket.once('data', () => socket.destroy());
    });
    const [one, two] = [await share(), await share()];
    killed.close();
    let calls = 0;
    const here = async (): Promise<void> => void (calls += 1);
    const failure = { code: 'STORE_FAILED', hint: 'run the same command again' };
    await expect(one.inOwner('add seeds', [], here)).rejects.toMatchObject(failure);
    await expect(two.write('meta', [put('a', { 'v:x': '1' })])).rejects.toMatchObject(failure);
    expect(calls).toBe(0);
    await one.inOwner('add seeds', [], here);
    expect([calls, one.owner]).toEqual([1, undefined]);
  });

  it('is closed after the verbs that run, and the others run in the next process', async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    let finish = (): void => {};
    const isLate = new Promise<void>((resolve) => (finish = resolve));
    const first = await share({
      verbs: {
        async 'add seeds'() {
          begin();
          await isLate;
          await first.write('webpage', [put('a', { 'm:st': '1' })]);
          return 'there';
        },
        'apply rules': () => Promise.resolve('there'),
      },
    });
    const second = await share();
    const here = (): Promise<string> => Promise.resolve('here');
    const running = second.inOwner('add seeds', [], here);
    await begun;
    const closing = first.close();
    await turns();
    const late = second.inOwner('apply rules', [], here);
    finish();
    expect(await Promise.all([running, late])).toEqual(['there', 'here']);
    await closing;
    expect(await getPlain(second, ['a'], ['m'])).toEqual([{ key: 'a', cells: [['m:st', '1']] }]);
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

  it('is refused to another build of the same version, with an error that says what differs', async () => {
    await actAsOwner((socket) => socket.write(greeting(PROTOCOL + 1)));
    const refused = share();
    await expect(refused).rejects.toMatchObject(locked);
    await expect(refused).rejects.toThrow('(crawl) of another build of webcrawl 1, whose messages have another format');
  });

  it('is opened by one of many at the same time, and used by all', async () => {
    const stores = await Promise.all(Array.from({ length: 8 }, () => share()));
    expect(stores.filter(({ owner }) => owner === undefined)).toHaveLength(1);
    await Promise.all(stores.map((store, i) => store.write('meta', [put(`k${i}`, { 'v:x': '1' })])));
    // They close it one after the other, and the rest continue.
    for (const store of stores) {
      expect(await scanPlain(store, 'meta', { columns: ['v'] })).toHaveLength(8);
      await store.close();
    }
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
    await actAsOwner((socket) => socket.destroy());
    expect((await share()).owner).toBeUndefined();
  });
});

describe('a client', () => {
  let store: MemoryStore;
  let server: LiveServer;

  async function serve(more: Partial<Service> = {}): Promise<void> {
    store = new MemoryStore();
    server = await serveTable(directory, {
      store,
      owner: { pid: 1, name: 'test', version: '1', alone: true },
      change: (table, changes) => changeChecked(store, table, changes),
      verbs: { status: () => Promise.resolve({ fine: true }) },
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
  const change = { op: 'change', table: 'webpage', changes: [{ key: 'a', put: [['m:st', 1]] }] };
  const status = { op: 'verb', name: 'status', args: [] };

  it.each([
    ['bytes that are no message', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a message that is too long', Buffer.from([0xff, 0xff, 0xff, 0xff, 0])],
    ['a message shorter than it says', Buffer.from([0, 0, 0, 1, 0])],
    ['a head longer than its message', Buffer.from([0, 0, 0, 4, 0, 0, 1, 0])],
    ['a head that is no JSON', Buffer.from([0, 0, 0, 5, 0, 0, 0, 1, 0x7b])],
    ['a head that is no object', encodeMessage('text' as unknown as object)],
  ])('that sends %s is dropped, and others are served', async (_, bytes) => {
    await serve();
    const { socket, closed } = await dial();
    socket.resume();
    socket.write(bytes);
    await closed;
    expect((await (await connect()).request(status)).head['value']).toEqual({ fine: true });
  });

  it.each<[string, object]>([
    ['an unknown request', { op: 'drop' }],
    ['a table that is none', { op: 'get', table: '__proto__', keys: [], columns: ['m'] }],
    ['keys that are none', { op: 'get', table: 'webpage', keys: 'all', columns: ['m'] }],
    ['a key that is none', { op: 'get', table: 'webpage', keys: [{}], columns: ['m'] }],
    ['no range', { op: 'scan', table: 'webpage', columns: ['m'] }],
    ['changes that are none', { op: 'change', table: 'webpage', changes: [null] }],
    ['more bytes than it sent', { op: 'change', table: 'webpage', changes: [{ key: 'a', put: [['m:st', 99]] }] }],
    ['a size below nothing', { op: 'change', table: 'webpage', changes: [{ key: 'a', put: [['m:st', -1]] }] }],
    [
      'a compared value that is none',
      { op: 'change', table: 'webpage', changes: [{ key: 'a', column: 'm:st', value: 'x' }] },
    ],
    ['a verb that is none', { op: 'verb', name: 'constructor', args: [] }],
    ['a verb without arguments', { op: 'verb', name: 'status' }],
  ])('that requests %s gets an error, and continues', async (_, head) => {
    await serve();
    const connection = await connect();
    await expect(connection.request(head)).rejects.toBeInstanceOf(CrawlError);
    await connection.request(change, [Buffer.from('1')]);
    expect(await scanPlain(store, 'webpage', { columns: ['m'] })).toHaveLength(1);
  });

  it('that begins a message and does not complete it is dropped, and others are served', async () => {
    await serve({ messageMs: 20 });
    const other = await connect();
    const { socket, closed } = await dial();
    socket.resume();
    socket.write(encodeMessage({ id: 1, ...status }).subarray(0, -1));
    await closed;
    expect((await other.request(status)).head['value']).toEqual({ fine: true });
    other.close();
  });

  it('with many bytes is dropped if all clients together have too many, and one with few is not', async () => {
    await serve({ maxHeldBytes: 10_000 });
    const [large, small] = [await dial(), await dial()];
    // A message of ten thousand bytes without its end.
    const begun = (bytes: number): Buffer => Buffer.concat([Buffer.from([0, 0, 39, 16]), Buffer.alloc(bytes - 4)]);
    large.socket.write(begun(9_950));
    small.socket.write(begun(90));
    // Responses come in the order of the requests, so the bytes above were read.
    const other = await connect();
    expect((await other.request(status)).head['value']).toEqual({ fine: true });
    large.socket.resume();
    large.socket.write(Buffer.alloc(40));
    await large.closed;
    expect(small.socket.destroyed).toBe(false);
    other.close();
  });

  it('waits for a response as long as the working process shows signs of life', async () => {
    await serve();
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
      await connection.request(status);
      vi.advanceTimersByTime(30_000);
      await connection.request(status);
      vi.advanceTimersByTime(30_000);
    }
    expect(connection.isLost).toBe(false);
    finish();
    expect((await reading).head['rows']).toEqual([null]);
  });

  it('that sends requests for ever and never reads fills no memory, and does not delay the end', async () => {
    await serve({ drainMs: 100 });
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
    const request = encodeMessage({ id: 1, op: 'scan', table: 'webpage', columns: ['m'], range: { start: '' } });
    for (let i = 0; i < 5000; i++) socket.write(request);
    // Other clients get responses meanwhile.
    const other = await connect();
    for (let i = 0; i < 20; i++) await other.request(status);
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
