import { hash } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  MemoryStore,
  openTables,
  rowKeyOf,
  type PageChange,
  type PageRow,
  type Store,
} from '../../../webtable/index.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { copyStore } from '../../support/stores/copy-store.js';
import { migrate, migrationProgress } from '../../support/versions/migrate.js';
import { setVersion } from '../../support/versions/version-7.js';

const md5 = (data: string): string => hash('md5', data);
const sha1 = (data: string): string => hash('sha1', data);

interface OldRow {
  /** The stored body; absent: none is stored. */
  readonly body?: string;
  readonly set: NonNullable<PageChange['set']>;
}

const success = { parseStatus: { code: 'success' } };
const url = (name: string): string => `http://a.com/${name}`;

/** Rows of version 7. */
const ROWS: Readonly<Record<string, OldRow>> = {
  stored: { body: 'b', set: { ...success, signature: md5('b'), prevSignature: md5('a') } },
  empty: { body: '', set: { ...success, signature: md5(url('empty')) } },
  unstored: { set: { ...success, signature: md5('b'), prevSignature: md5('a') } },
  'parsed-in-batch': { body: 'b', set: { ...success, signature: md5('a'), newSignature: md5('b') } },
  'parsed-alike': { body: 'b', set: { ...success, signature: md5('b'), newSignature: md5('b') } },
  'unstored-in-batch': { set: { ...success, signature: md5('a'), newSignature: md5('b') } },
  'parse-failed': { body: 'b', set: { parseStatus: { code: 'timeout' }, signature: md5('a') } },
  gone: { body: 'b', set: { signature: md5('b') } },
  profile: { body: 'b', set: { ...success, signature: md5('1 word') } },
  plugin: { set: { ...success, signature: 'ab' } },
};

const EXPECTED: Readonly<Record<string, object>> = {
  stored: { signature: sha1('b'), prevSignature: md5('a') },
  empty: { signature: sha1(url('empty')) },
  unstored: { prevSignature: md5('b') },
  'parsed-in-batch': { prevSignature: md5('a'), newSignature: sha1('b') },
  'parsed-alike': { signature: sha1('b'), newSignature: sha1('b') },
  'unstored-in-batch': { prevSignature: md5('a') },
  'parse-failed': { prevSignature: md5('a') },
  gone: { signature: sha1('b') },
  profile: { signature: md5('1 word') },
  plugin: { signature: 'ab' },
};

async function oldTable(): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { changeRows } = await openTables(store);
  const changes = Object.entries(ROWS).map(([name, { body, set }]): PageChange => {
    const key = rowKeyOf(url(name));
    const record = body !== undefined && {
      record: { kind: 'response' as const, url: url(name), date: 1, body: Buffer.from(body) },
    };
    return { key, set: { status: 'fetched', dueAt: 1, score: 1, ...set }, ...record };
  });
  await changeRows(
    changes.map(({ key }) => key),
    [],
    0,
    (_, keys) => keys.map((key) => changes.find((change) => change.key === key)),
  );
  await setVersion(store, '7');
  return store;
}

async function signatures(store: Store): Promise<Record<string, unknown>> {
  const { pages } = await openTables(store);
  const found: Record<string, unknown> = {};
  for await (const row of pages.scan({ fields: ['signature', 'prevSignature', 'newSignature', 'status'] })) {
    const { key, status: _, ...fields }: PageRow<'status'> = row;
    found[key.slice('com.a:http/'.length)] = fields;
  }
  return found;
}

it('a migration replaces the MD5 of a stored body by its SHA-1, and makes other MD5 hashes unknown', async () => {
  const store = await oldTable();
  const progress = migrationProgress();
  await migrate(store, progress);
  expect(await signatures(store)).toEqual(EXPECTED);
  expect(progress.counters.signatures).toBe(8);
});

it('a migration that fails at any write ends with the same signatures when it continues', async () => {
  const table = await oldTable();
  for (let failAt = 1; ; failAt++) {
    const store = await copyStore(table);
    const isDone = await migrate(new FailingStore(store, failAt)).then(
      () => true,
      (error: unknown) => {
        if (error instanceof PlannedFailure) return false;
        throw error;
      },
    );
    if (isDone) break;
    await migrate(store);
    expect(await signatures(store)).toEqual(EXPECTED);
  }
});
