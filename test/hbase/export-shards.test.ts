import { connect } from 'node:net';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  exportPages,
  openContext,
  rowKeyOf,
  type OpenContext,
  type PageChange,
} from '../../packages/webcrawl/internal.js';
import { createTable } from '../../packages/hbase/admin-requests.js';
import { createHBaseTables } from '../../packages/hbase/create-tables.js';
import { familiesOf } from '../../packages/hbase/layout.js';
import { encodeCall } from '../../packages/hbase/thrift/messages.js';
import { changeRows } from '../support/stores/put-rows.js';
import { randomNumbers } from '../support/web/fake-web.js';

const hbase = inject('hbase');
const COUNT = 4;
const BOUNDS = ['com.h2:', 'com.h5:http/', 'com.h7:'];

/** Creates the table of pages in several regions; only the protocol without frames can do this. */
async function createSplit(url: string): Promise<void> {
  const families = familiesOf('webpage').map((name) => ({ name, compression: 'NONE', encoding: 'NONE' }) as const);
  const name = `default:${url.slice(url.lastIndexOf('/') + 1)}_webpage`;
  const [host = '', port = ''] = hbase!.admin.split(':');
  const socket = connect(Number(port), host);
  await new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve()).once('error', reject);
    socket.once('close', () => reject(new Error('expected an answer, found the connection closed')));
    socket.write(encodeCall(createTable(name, families, BOUNDS), 1).subarray(4));
  });
  socket.destroy();
}

/** Pages with a few links each. */
function somePages(): PageChange[] {
  const random = randomNumbers(3);
  const url = (n: number): string => `http://h${n % 9}.com/${n}`;
  return Array.from({ length: 360 }, (_, n) => {
    const outlinks = Array.from({ length: 6 }, () => ({ url: url(Math.floor(random() ** 2 * 400)), anchor: '' }));
    return { key: rowKeyOf(url(n)), set: { status: 'fetched', dueAt: 1, score: 1, outlinks } };
  });
}

describe.skipIf(!hbase)('export in shards from a real HBase', () => {
  let folder: string;
  let url: string;
  let crawl: OpenContext;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webcrawl-whole-'));
    url = `hbase://${hbase!.gateways.join(',')}/whole_${Date.now().toString(36)}_${process.pid}`;
    await createSplit(url);
    await createHBaseTables(url, { slots: 16 });
    crawl = await openContext({ table: url });
    await changeRows(crawl, somePages());
  });
  afterAll(async () => {
    await crawl?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('is split at region boundaries', async () => {
    const { splits } = crawl.tables;
    const parts = [0, 1, 2, 3].map((index) => splits.rangesOf('regions', { index, count: COUNT }));
    expect((await Promise.all(parts)).flat().map(({ end }) => end)).toEqual([...BOUNDS, undefined]);
  });

  it('has parts that together are the whole export', async () => {
    await exportPages(crawl, { output: join(folder, 'whole.jsonl') });
    const whole = await readFile(join(folder, 'whole.jsonl'), 'utf8');
    // With as many shards as regions, and with more.
    for (const count of [COUNT, 7]) {
      const output = join(folder, `p.jsonl`);
      await Promise.all(
        Array.from({ length: count }, (_, index) => exportPages(crawl, { output, shard: { index, count } })),
      );
      const names = Array.from({ length: count }, (_, i) => `p-0000${i}-of-0000${count}.jsonl`);
      const parts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
      expect(parts.join('')).toBe(whole);
    }
  });
});
