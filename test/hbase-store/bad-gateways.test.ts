import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openTables } from '../../webtable/index.js';
import { createHBaseTables } from '../../packages/hbase/create-tables.js';
import { openHBaseStore } from '../../packages/hbase/open-hbase-store.js';
import { fakeGateway, type FakeGateway, type Reaction } from '../support/hbase/fake-gateway.js';
import { fakeTable, QUICK, type FakeTable } from '../support/hbase/open-fake-store.js';
import { bytes } from '../support/stores/plain-rows.js';

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function table(options: Parameters<typeof fakeTable>[0] = {}): Promise<FakeTable> {
  const made = await fakeTable(options);
  closers.push(made.close);
  return made;
}

async function gateway(react: () => Reaction): Promise<FakeGateway> {
  const made = await fakeGateway(react);
  closers.push(() => made.close());
  return made;
}

const open = (address: string, times = {}) =>
  openHBaseStore(`hbase://${address}/x`, { times: { ...QUICK, ...times }, reachFor: 50 });
const put = (key: string, value = '1') => ({ key, put: new Map([['p:ti' as const, bytes(value)]]) });
const denied =
  'org.apache.hadoop.hbase.security.AccessDeniedException: Insufficient permissions (user=crawler)\n\tat x.y(Z.java:1)';

describe('a server that is no HBase gateway is named', () => {
  it('an HTTP server', async () => {
    const server = createHttpServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    const opened = open(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(opened).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('HTTP') as string,
    });
  });

  it('a closed port', async () => {
    const closed = await gateway(() => 'close');
    await closed.close();
    await expect(open(closed.address)).rejects.toMatchObject({
      code: 'STORE_AWAY',
      exitCode: 75,
      message: expect.stringContaining(closed.address) as string,
    });
  });

  it.each<[string, Reaction, string, string]>([
    ['a connection that is closed at each call', 'close', 'STORE_AWAY', 'closed the connection'],
    ['half a frame', { part: { value: { list: [], of: 12 } }, length: 11 }, 'STORE_AWAY', 'within a response'],
    ['no answer', 'silence', 'STORE_AWAY', 'no response to getMultiple in 30 ms'],
    ['other bytes', { bytes: Buffer.from('220 mail.example ESMTP\r\n') }, 'STORE_FAILED', 'expected'],
    ['a frame that is too large', { bytes: Buffer.from([0x7f, 255, 255, 255]) }, 'STORE_FAILED', 'of at most'],
    ['the transport without frames', { bytes: Buffer.from([0x80, 1, 0, 2, 0, 0, 0, 0]) }, 'STORE_FAILED', 'framed'],
    [
      'another service',
      { application: "Invalid method name: 'getMultiple'", type: 1 },
      'STORE_FAILED',
      'another service',
    ],
    ['a failure', { application: 'Internal error', type: 6 }, 'STORE_FAILED', 'Internal error'],
    ['a refusal of an argument', { argument: 'bad table name' }, 'STORE_FAILED', 'bad table name'],
    ['a missing right', { io: denied }, 'STORE_DENIED', 'AccessDeniedException'],
    ['a missing namespace', { io: 'org.apache.hadoop.hbase.NamespaceNotFoundException: x' }, 'NO_TABLE', 'Namespace'],
  ])('%s', async (_, reaction, code, message) => {
    const { address } = await gateway(() => reaction);
    // A busy machine may need longer than that for an existing answer.
    const times = reaction === 'silence' ? { response: 30 } : {};
    await expect(open(address, times)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it('without the Java stack trace', async () => {
    const { address } = await gateway(() => ({ io: denied }));
    await expect(open(address)).rejects.toMatchObject({ message: expect.not.stringContaining('Z.java') as string });
  });
});

describe('tables', () => {
  it('that are missing are named, with the command that creates them', async () => {
    const { url, hbase } = await table();
    hbase.tables.delete('crawls:one_host');
    await expect(openHBaseStore(url, { times: QUICK })).rejects.toMatchObject({
      code: 'NO_TABLE',
      message: expect.stringContaining('crawls:one_host') as string,
      hint: expect.stringContaining('table create') as string,
    });
  });

  it('that lack a family get it when they are created again', async () => {
    const { url, hbase } = await table();
    hbase.tables.get('crawls:one_webpage')!.families.delete('p');
    await expect(openHBaseStore(url, { times: QUICK })).rejects.toMatchObject({ code: 'NO_TABLE' });
    const made = await createHBaseTables(url, { slots: 16, times: QUICK });
    expect(made).toMatchObject({ created: [], added: ['crawls:one_webpage:p'] });
    await (await openHBaseStore(url, { times: QUICK })).close();
  });

  it('of another schema version are rejected', async () => {
    const store = await (await table()).open();
    closers.push(() => store.close());
    await store.write('meta', [{ key: 'schema', put: new Map([['v:n', bytes('5')]]) }]);
    await expect(openTables(store)).rejects.toMatchObject({ code: 'TABLE_VERSION' });
  });

  it('are created without splits if a gateway cannot split, with lines for the shell', async () => {
    const { gateways } = await table();
    const url = `hbase://${gateways[0]!.address}/other`;
    const { created, shellLines } = await createHBaseTables(url, { slots: 16, splits: 3, times: QUICK });
    expect(created).toHaveLength(7);
    const zones = { frontier: [''], batch: ['e', 'i'] };
    expect(shellLines).toEqual(
      Object.entries(zones).flatMap(([name, starts]) =>
        starts.flatMap((start) => ['04', '08', '0c'].map((slot) => `split 'default:other_${name}', '${start}${slot}'`)),
      ),
    );
  });

  it('that the user may not create are created by an operator, who gets all lines', async () => {
    const { address } = await gateway(() => ({ io: denied }));
    const made = createHBaseTables(`hbase://${address}/ns:x`, { slots: 16, splits: 1, times: QUICK });
    await expect(made).rejects.toMatchObject({
      code: 'STORE_DENIED',
      hint: expect.stringContaining(
        "create 'ns:x_frontier', {NAME => 'f', VERSIONS => 1, COMPRESSION => 'NONE', DATA_BLOCK_ENCODING => 'FAST_DIFF'}, SPLITS => ['08']",
      ) as string,
    });
  });

  it('have at least no split and at most one less than slots', async () => {
    const made = createHBaseTables('hbase://127.0.0.1:1/x', { slots: 16, splits: 16 });
    await expect(made).rejects.toMatchObject({ code: 'BAD_SETTING' });
  });
});

describe('calls that fail', () => {
  it.each([
    'org.apache.hadoop.hbase.NotServingRegionException: one_webpage,,1 is not online on server1',
    'org.apache.hadoop.hbase.exceptions.RegionOpeningException: Region one_webpage,,1 is opening on server1',
    'org.apache.hadoop.hbase.RegionTooBusyException: over memstore limit',
  ])('because a region is in transition are retried: %s', async (io) => {
    let failures = 0;
    const made = await table({
      around: (call, answer) => (call.method === 'putMultiple' && failures++ < 9 ? { io } : answer(call)),
    });
    const store = await made.open();
    closers.push(() => store.close());
    await store.write('webpage', [put('a')]);
    expect(await store.get('webpage', ['a'], ['p'])).toHaveLength(1);
  });

  it('continue at the remaining gateway', async () => {
    const made = await table({ gateways: 2 });
    const store = await made.open();
    closers.push(() => store.close());
    for (let i = 0; i < 20; i++) {
      if (i === 10) await made.gateways[0]!.close();
      await store.write('webpage', [put(`a${i}`)]);
    }
    expect(await store.get('webpage', ['a0', 'a19'], ['p'])).toMatchObject([{ key: 'a0' }, { key: 'a19' }]);
  });

  it('end with STORE_AWAY after too long a time, and each waiting call settles', async () => {
    let isAway = false;
    const made = await table({ around: (call, answer) => (isAway ? 'close' : answer(call)) });
    const store = await openHBaseStore(made.url, { times: { ...QUICK, giveUp: 60 } });
    closers.push(() => store.close());
    isAway = true;
    const calls = Array.from({ length: 50 }, (_, i) => store.write('webpage', [put(`a${i}`)]));
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'STORE_AWAY', exitCode: 75 } });
    }
  });

  it('that are reads end when the store is closed', async () => {
    let isAway = false;
    const made = await table({ around: (call, answer) => (isAway ? 'silence' : answer(call)) });
    const store = await made.open();
    isAway = true;
    const read = store.get('webpage', ['a'], ['p']);
    const rejected = expect(read).rejects.toMatchObject({ code: 'CLOSED' });
    await store.close();
    await rejected;
  });
});

describe('data that HBase rejects is not sent', () => {
  it.each([
    ['a row key of 32,768 bytes', put('k'.repeat(32_768)), 'at most 32767 bytes'],
    ['a cell beyond 10 MiB', put('a', 'x'.repeat(10 * 1024 * 1024)), 'at most 10 MiB'],
  ])('%s', async (_, change, message) => {
    const made = await table();
    const store = await made.open();
    closers.push(() => store.close());
    const sent = made.gateways[0]!.calls.length;
    const refused = { code: 'STORE_FAILED', message: expect.stringContaining(message) as string };
    await expect(store.write('webpage', [put('good'), change])).rejects.toMatchObject(refused);
    const checked = { change, column: 'p:ti' as const, value: undefined };
    await expect(store.compareAndSet!('webpage', [checked])).rejects.toMatchObject(refused);
    expect(made.gateways[0]!.calls).toHaveLength(sent);
  });

  it('frames of more than two million bytes, except for rows of that size', async () => {
    const made = await table({ mostBytes: 2 * 1024 * 1024 });
    const store = await made.open();
    closers.push(() => store.close());
    await store.write(
      'webpage',
      Array.from({ length: 3000 }, (_, i) => put(`k${i}`, 'x'.repeat(i))),
    );
    const sizes = made.gateways[0]!.calls.filter(({ method }) => method === 'putMultiple').map((call) => call.bytes);
    expect(Math.max(...sizes)).toBeLessThan(1_800_000);
    const rows = await store.get('webpage', ['k0', 'k2999', `k${'x'.repeat(32_766)}`], ['p']);
    expect(rows.map((row) => row?.cells.get('p:ti')?.length)).toEqual([0, 2999, undefined]);
  });
});
