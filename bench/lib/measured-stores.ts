import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Level } from 'level';
import {
  MemoryStore,
  createHBaseTables,
  openHBaseStore,
  openTables,
  openLevelStore,
  urlOf,
  type Column,
  type ContentRecord,
  type Field,
  type Store,
  type Tables,
} from '../../webtable/index.js';
import { mix } from './made-page.js';
import type { MeasuredStore, StoreJob } from './store-operations.js';

const BODY_BYTES = 8192;
/** What generate and fetch read of a row. */
const FIELDS = ['status', 'dueAt', 'score', 'retries', 'signature'] as const satisfies readonly Field[];

/** The store that a job names, empty. */
export async function openMeasured({ store, directory }: StoreJob): Promise<MeasuredStore> {
  if (store === 'classic-level') return plainLevel(directory);
  if (store === 'hbase' || store === 'hbase-webtable') await createHBaseTables(directory, { slots: 16 });
  const own = await openOwn(store, directory);
  return store === 'webtable' || store === 'hbase-webtable' ? fields(await openTables(own)) : cells(own);
}

function openOwn(store: StoreJob['store'], directory: string): Promise<Store> | Store {
  if (store === 'memory') return new MemoryStore();
  return store.startsWith('hbase') ? openHBaseStore(directory) : openLevelStore(directory);
}

function keyOf(row: number): string {
  const number = String(row).padStart(9, '0');
  return `example.host${number.slice(0, 6)}:http/a/path/of/usual/length/${number}`;
}

/** Halves random and halves not, as pages compress. */
function bodyOf(row: number): Uint8Array {
  const body = Buffer.alloc(BODY_BYTES, 'the same words again and again ');
  for (let i = 0; i < BODY_BYTES / 2; i += 4) body.writeUInt32LE(mix(row, i), i);
  return body;
}

function values(row: number) {
  return {
    status: 'fetched' as const,
    dueAt: 1_800_000_000_000 + row,
    score: mix(row) / 2 ** 32,
    retries: 0,
    signature: mix(row, 1).toString(16).padStart(32, '0'),
  };
}

/** A page as it is fetched. */
function recordOf(row: number): ContentRecord {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n';
  return { kind: 'response', url: urlOf(keyOf(row)), date: 1_800_000_000_000 + row, head, body: bodyOf(row) };
}

/** Typed fields, as the jobs write and read them. */
function fields({ pages, close }: Tables): MeasuredStore {
  return {
    write: (rows) => pages.write(rows.map((row) => ({ key: keyOf(row), set: values(row) }))),
    async read(rows) {
      await pages.getMany(rows.map(keyOf), FIELDS);
    },
    scan: () => count(pages.scan({ fields: FIELDS })),
    writeBodies: (rows) => pages.write(rows.map((row) => ({ key: keyOf(row), record: recordOf(row) }))),
    async readBodies(rows) {
      await pages.getMany(rows.map(keyOf), ['content']);
    },
    close,
  };
}

/** Cells of bytes, without the codecs. */
function cells(store: Store): MeasuredStore {
  const column = { status: 'm:st', dueAt: 'm:ft', score: 'm:sc', retries: 'm:re', signature: 'm:sg' } as const;
  const columns = Object.values(column);
  const cellsOf = (row: number): Map<Column, Uint8Array> =>
    new Map(
      Object.entries(values(row)).map(([name, value]) => [
        column[name as keyof typeof column],
        Buffer.from(String(value)),
      ]),
    );
  return {
    write: (rows) =>
      store.write(
        'webpage',
        rows.map((row) => ({ key: keyOf(row), put: cellsOf(row) })),
      ),
    async read(rows) {
      await store.get('webpage', rows.map(keyOf), columns);
    },
    scan: () => count(store.scan('webpage', { columns })),
    writeBodies: (rows) =>
      store.write(
        'content',
        rows.map((row) => ({ key: keyOf(row), put: new Map([['c:b', bodyOf(row)] as const]) })),
      ),
    async readBodies(rows) {
      await store.get('content', rows.map(keyOf), ['c:b']);
    },
    close: () => store.close(),
  };
}

/** One value a row, with the options that serve classic-level best; bodies in a database of their own. */
async function plainLevel(directory: string): Promise<MeasuredStore> {
  await mkdir(directory, { recursive: true });
  const writeBufferSize = 64 * 1024 * 1024;
  const hot = new Level<string, string>(join(directory, 'hot'), { writeBufferSize });
  const content = new Level<string, Uint8Array>(join(directory, 'content'), {
    writeBufferSize,
    maxFileSize: writeBufferSize / 2,
    valueEncoding: 'view',
  });
  await Promise.all([hot.open(), content.open()]);
  return {
    async write(rows) {
      const batch = hot.batch();
      for (const row of rows) batch.put(keyOf(row), Object.values(values(row)).join('\t'));
      await batch.write();
    },
    async read(rows) {
      await hot.getMany(rows.map(keyOf));
    },
    async scan() {
      const iterator = hot.iterator({ highWaterMarkBytes: 256 * 1024 });
      let rows = 0;
      for (;;) {
        const entries = await iterator.nextv(1000);
        if (entries.length === 0) break;
        rows += entries.length;
      }
      await iterator.close();
      return rows;
    },
    async writeBodies(rows) {
      const batch = content.batch();
      for (const row of rows) batch.put(keyOf(row), bodyOf(row));
      await batch.write();
    },
    async readBodies(rows) {
      await content.getMany(rows.map(keyOf));
    },
    async close() {
      await Promise.all([hot.close(), content.close()]);
    },
  };
}

async function count(rows: AsyncIterable<unknown>): Promise<number> {
  let found = 0;
  for await (const _ of rows) found += 1;
  return found;
}
