import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { openTables, slotsOfShard, type Tables } from '../../../webtable/index.js';
import { requireCommand, said, startCommand, type Started } from '../../support/command-process.js';
import { fakeTable, type FakeTable } from '../../support/hbase/open-fake-store.js';
import { until } from '../../support/events.js';

const HOSTS = Array.from({ length: 12 }, (_, i) => `127.0.0.${i + 1}`);

let folder: string;
let table: FakeTable;
let server: Server;
let urls: string[];
/** The hosts of requested pages, in order. */
let asked: string[];
/** Pages are answered after it resolves. */
let mayAnswer: Promise<void>;

beforeAll(requireCommand);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-shard-process-'));
  table = await fakeTable();
  asked = [];
  mayAnswer = Promise.resolve();
  server = createServer(({ url, headers }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    asked.push(headers.host!.replace(/:\d+$/, ''));
    void mayAnswer.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>x'));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  urls = HOSTS.flatMap((host) => [1, 2].map((page) => `http://${host}:${port}/${page}`));
  return async () => {
    server.closeAllConnections();
    server.close();
    await table.close();
    await rm(folder, { recursive: true });
  };
});

const start = (...args: readonly string[]): Started =>
  startCommand(folder, [...args, '--set', 'http.privateAddresses=allow'], { table: table.url });

async function run(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await start(...args).ended;
  expect(err).toBe('');
  expect(code).toBe(0);
  return out;
}

/** Reads the table as another process. */
async function look<T>(at: (tables: Tables) => Promise<T>): Promise<T> {
  const store = await table.open();
  const tables = await openTables(store);
  try {
    return await at(tables);
  } finally {
    tables.leases.stop();
    await store.close();
  }
}

/** The hosts of a shard. */
const hostsOf = (index: number): Promise<string[]> =>
  look(async ({ slots }) => {
    const own = slotsOfShard(slots, { index, count: 3 });
    return HOSTS.filter((host) => own.includes(slots.ofQueue(host)));
  });

test('a worker that gets SIGTERM sends no new request and releases its leases, so that another worker can take them at once', async () => {
  await run('inject', '--quiet', ...urls);
  const hosts = await hostsOf(0);
  expect(hosts.length).toBeGreaterThan(1);

  let answer = (): void => {};
  mayAnswer = new Promise((resolve) => (answer = resolve));
  const { child, ended } = start('crawl', '--shard', '0/3', '--json');
  // One page of each of its hosts is being fetched.
  await until(() => asked.length === hosts.length);
  expect(await look(({ leases }) => leases.holders())).toHaveLength(1);
  const stopping = said(child, 'Stopping');
  child.kill('SIGTERM');
  await stopping;
  answer();
  const { code, out } = await ended;
  expect(code).toBe(75);
  expect(JSON.parse(out)).toMatchObject({ interrupted: true, counters: { success: hosts.length } });
  expect([...asked].sort()).toEqual([...hosts].sort());
  // The leases are free at once, without waiting until they expire.
  expect(await look(({ leases }) => leases.holders())).toEqual([]);

  // No other worker lives, so this one takes over all other slots in the end.
  await run('crawl', '--shard', '0/3', '--quiet');
  expect(asked).toHaveLength(urls.length);
  expect(await look(({ batches }) => batches.list())).toEqual([]);
});

test('a worker that gets SIGTERM while it waits for another worker exits with 75, to be retried', async () => {
  await run('inject', '--quiet', ...urls);
  await look(async ({ leases }) => {
    const held = await leases.take(['00', '03'], { job: 'crawl', wait: 0 });
    const { child, ended } = start('crawl', '--shard', '0/3', '-v');
    await until(async () => (await leases.holders()).length === 2);
    const stopping = said(child, 'Stopping');
    child.kill('SIGTERM');
    await stopping;
    const { code, err } = await ended;
    expect(code).toBe(75);
    expect(err).toContain('Stopped on request');
    await held.release();
  });
  expect(asked).toEqual([]);
});
