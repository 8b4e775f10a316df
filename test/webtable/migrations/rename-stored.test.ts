import { describe, expect, it } from 'vitest';
import { MemoryStore, openTables, rowKeyOf, type Store, type TableName } from '../../../webtable/index.js';
import { text } from '../../../webtable/pages/codec.js';
import { migrate } from '../../support/versions/migrate.js';
import { setVersion } from '../../support/versions/version-7.js';
import { FailingStore, PlannedFailure } from '../../support/stores/failing-store.js';
import { copyStore, dumpStore } from '../../support/stores/copy-store.js';

/** A cell as schema 7 stores it, and as schema 8 does. */
interface RenamedCell {
  readonly table: TableName;
  readonly key: string;
  readonly column: `${string}:${string}`;
  readonly before: unknown;
  readonly after: unknown;
  /** The key in schema 8, if it differs. */
  readonly newKey?: string;
}

const PAGE = rowKeyOf('http://a.com/');
const EVIDENCE = { rows: 3, useful: 0, domainUseful: 4, check: { reachableUseful: 4, rest: 9, cut: 3 } };
const PRESENT_EVIDENCE = {
  rows: 3,
  relevant: 0,
  domainRelevant: 4,
  check: { reachableRelevant: 4, rest: 9, rejected: 3 },
};

const CELLS: Readonly<Record<string, RenamedCell>> = {
  'the protocol code of a page': {
    table: 'webpage',
    key: PAGE,
    column: 'm:pr',
    before: { code: 'connect', message: 'refused' },
    after: { code: 'connect_failed', message: 'refused' },
  },
  'a protocol code that keeps its name': {
    table: 'webpage',
    key: rowKeyOf('http://a.com/kept'),
    column: 'm:pr',
    before: { code: 'not_found', http: 404 },
    after: { code: 'not_found', http: 404 },
  },
  'the times that a page states': {
    table: 'webpage',
    key: rowKeyOf('http://a.com/stated'),
    column: 'm:pa',
    before: { code: 'success', canonical: 'http://a.com/', published: 1, modified: 2 },
    after: { code: 'success', canonical: 'http://a.com/', publishedAt: 1, statedModifiedAt: 2 },
  },
  'the code of a back-off': {
    table: 'host',
    key: 'com.a',
    column: 'h:bo',
    before: { failures: 1, since: 1, until: 2, code: 'dns' },
    after: { failures: 1, since: 1, until: 2, code: 'dns_failed' },
  },
  'a response to an audit': {
    table: 'meta',
    key: 'audit-asked|com.a:http/x',
    newKey: 'audit-response|com.a:http/x',
    column: 'v:a',
    before: { at: 5, code: 'tls', lastOk: 4 },
    after: { at: 5, code: 'tls_failed', lastOkAt: 4 },
  },
  'a target of changes': {
    table: 'meta',
    key: 'watch|1',
    column: 'v:e',
    before: {
      target: 'https://t/',
      cursor: '0',
      since: 1,
      kinds: ['moved', 'gone'],
      waiting: [{ cursor: '1', first: 2, due: 3, attempts: 1, why: 'reset' }],
      deadLetters: [{ cursor: '0', first: 1, attempts: 10, why: 'http_500', at: 9 }],
    },
    after: {
      target: 'https://t/',
      cursor: '0',
      addedAt: 1,
      kinds: ['reordered', 'gone'],
      waiting: [{ cursor: '1', firstAttemptAt: 2, dueAt: 3, attempts: 1, why: 'reset' }],
      deadLetters: [{ cursor: '0', firstAttemptAt: 1, attempts: 10, why: 'http_500', givenUpAt: 9 }],
    },
  },
  'a logged change': {
    table: 'batch',
    key: 'c|00000000000001|1-1|pcom.a:http/',
    column: 'b:c',
    before: {
      kinds: ['moved'],
      to: 1,
      before: { is: 'page', outerLinks: 2 },
      after: { is: 'failing', code: 'network' },
    },
    after: {
      kinds: ['reordered'],
      to: 1,
      before: { is: 'page', externalLinks: 2 },
      after: { is: 'failing', code: 'network_error' },
    },
  },
  'a host in the change log': {
    table: 'batch',
    key: 'c|00000000000001|1-1|hcom.a',
    column: 'b:c',
    before: { failing: 5, asked: 6 },
    after: { failing: 5, requested: 6 },
  },
  'a rule': {
    table: 'rule',
    key: 'rules',
    column: 'r:d:r1',
    before: { kind: 'useful', scope: '*', pattern: { prefix: '/a' }, createdAt: 1, changedAt: 1, evidence: EVIDENCE },
    after: {
      kind: 'relevant',
      scope: '*',
      pattern: { prefix: '/a' },
      createdAt: 1,
      changedAt: 1,
      evidence: PRESENT_EVIDENCE,
    },
  },
  'the proposals': {
    table: 'rule',
    key: 'proposals',
    column: 'r:o',
    before: { id: 'abcdefgh', proposals: [{ number: 1, rule: { kind: 'useful' }, evidence: EVIDENCE }] },
    after: { id: 'abcdefgh', proposals: [{ number: 1, rule: { kind: 'relevant' }, evidence: PRESENT_EVIDENCE }] },
  },
};

const encoded = (value: unknown): Uint8Array => text.encode(JSON.stringify(value));

async function oldStore(): Promise<MemoryStore> {
  const store = new MemoryStore();
  await openTables(store);
  for (const { table, key, column, before } of Object.values(CELLS)) {
    await store.write(table, [{ key, put: new Map([[column, encoded(before)]]) }]);
  }
  await setVersion(store, '7');
  return store;
}

async function stored(store: Store, table: TableName, key: string, column: string): Promise<unknown> {
  const [row] = await store.get(table, [key], [column]);
  const cell = row?.cells.get(column);
  return cell && JSON.parse(text.decode(cell));
}

describe('the names of schema 8', () => {
  it.each(Object.entries(CELLS))('are given to %s', async (_, { table, key, newKey = key, column, after }) => {
    const store = await oldStore();
    await migrate(store);
    expect(await stored(store, table, newKey, column)).toEqual(after);
    if (newKey !== key) expect(await stored(store, table, key, column)).toBeUndefined();
  });

  it('are the same after a failure of any write and a second run', async () => {
    const old = await oldStore();
    const whole = await copyStore(old);
    await migrate(whole);
    const expected = await dumpStore(whole);
    for (let failAt = 1; ; failAt++) {
      const store = await copyStore(old);
      const isDone = await migrate(new FailingStore(store, failAt)).then(
        () => true,
        (error: unknown) => {
          expect(error).toBeInstanceOf(PlannedFailure);
          return false;
        },
      );
      if (isDone) break;
      await migrate(store);
      expect(await dumpStore(store)).toEqual(expected);
    }
  });

  it('a cell that cannot be read stays, and its row is released', async () => {
    const store = await oldStore();
    const cell = new Map([['m:pr', text.encode('{"code":')] as const, ['m:ft', Buffer.alloc(8)] as const]);
    await store.write('webpage', [{ key: PAGE, put: cell }]);
    await migrate(store);
    const [row] = await store.get('webpage', [PAGE], ['m:pr']);
    expect(text.decode(row!.cells.get('m:pr')!)).toBe('{"code":');
    const { frontier } = await openTables(store);
    expect(await frontier.enterMissing([{ key: PAGE, dueAt: 0 }], 0)).toBe(0);
  });
});
