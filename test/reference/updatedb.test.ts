import { describe, expect, it } from 'vitest';
import { jobs, rowKeyOf, type OpenContext, type PageChange, type Status } from '../../packages/webcrawl/internal.js';
import { makeBatchId, urlOf } from '../../webtable/index.js';
import { readReference, referenceTitle } from '../support/reference-cases.js';
import { changeRows } from '../support/stores/put-rows.js';
import { START, testCrawl } from '../support/test-crawl.js';

interface ReferenceRow {
  readonly status: number;
  readonly fetchTime: number | 'now';
  readonly fetchInterval: number;
  readonly retriesSinceFetch: number;
  readonly score: number;
  readonly markers: Readonly<Record<string, string>>;
  readonly metadata: { readonly _csh_: number };
  readonly inlinks: Readonly<Record<string, string>>;
  readonly signature?: string;
  readonly prevSignature?: string;
  readonly modifiedTime?: number;
}
interface Case {
  readonly input: {
    readonly row: ReferenceRow | null;
    readonly inlinks: readonly {
      readonly url: string;
      readonly anchor: string;
      readonly score: number;
      readonly dist: number;
    }[];
    readonly conf: Readonly<Record<string, number | boolean>>;
  };
  readonly expected: ReferenceRow | null;
}

/** The compared fields of a row. */
interface Row {
  readonly status?: Status;
  readonly dueAt?: number;
  readonly fetchInterval?: number;
  readonly retries?: number;
  readonly score?: number;
  readonly cash?: number;
  readonly distance?: number;
  readonly marks: Readonly<Record<string, string>>;
  readonly inlinks: Readonly<Record<string, string>>;
  readonly signature?: string;
  readonly prevSignature?: string;
  readonly modifiedAt?: number;
}

const DAY = 86_400_000;
const TARGET = 'http://target/';
const BATCHES: Readonly<Record<string, string>> = {
  b0: makeBatchId(START - DAY, 0.1),
  b1: makeBatchId(START, 0.1),
  b2: makeBatchId(START, 0.2),
};
const B1 = BATCHES.b1!;
const STATUSES: Readonly<Record<number, Status>> = {
  1: 'unfetched',
  2: 'fetched',
  3: 'gone',
  4: 'redir_temp',
  5: 'redir_perm',
  34: 'retry',
  38: 'notmodified',
};
const MARKS: Readonly<Record<string, string>> = {
  _gnmrk_: 'generate',
  _ftcmrk_: 'fetch',
  __prsmrk__: 'parse',
  _updmrk_: 'updatedb',
};
const SETTINGS: Readonly<Record<string, string>> = {
  'db.update.additions.allowed': 'db.updateAdditionsAllowed',
  'db.update.max.inlinks': 'db.updateMaxInlinks',
};

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);
const xy = { 'http://x/': 'X', 'http://y/': 'Y' };

/** Deliberate deviations from the reference: numbers of cases in `cases`, the differing fields of our row, and the reason. */
const DEVIATIONS: readonly { readonly at: readonly number[]; readonly row: Partial<Row>; readonly reason: string }[] = [
  { at: from(0, 15), row: { inlinks: { 'http://old/': 'old' } }, reason: 'inlinks accumulate' },
  { at: [19, 24, 25], row: { inlinks: { ...xy, 'http://old/': 'old' } }, reason: 'inlinks accumulate' },
  {
    at: from(1, 15),
    row: { marks: { updatedb: B1 } },
    reason: 'every page that was fetched gets the mark, parsed or not',
  },
  {
    at: [1, ...from(4, 18)],
    row: { cash: 1 },
    reason: 'a page that handed nothing on keeps what it has: not parsed, failed, not fetched, redirected to nowhere',
  },
  {
    at: [10, 11, 12],
    row: { dueAt: START + 3_888_000_000, fetchInterval: 3_888_000 },
    reason: 'a page that failed too often gets the schedule of pages that are gone',
  },
  {
    at: [15],
    row: { status: 'fetched', dueAt: START + 7_776_000_000, fetchInterval: 7_776_000, modifiedAt: 5 },
    reason: 'an interval above the maximum is cut to it, and the page stays fetched',
  },
  { at: [17], row: { dueAt: START - 1000 }, reason: 'a page that was not fetched stays due' },
  { at: [18], row: { status: 'unfetched' }, reason: 'a status is never empty' },
  { at: [23], row: { distance: 1 }, reason: 'the distance is that of the shortest way, whichever inlinks are kept' },
  {
    at: [25],
    row: { marks: { generate: BATCHES.b2!, fetch: BATCHES.b2!, parse: BATCHES.b2! } },
    reason: 'a page stays in the batch that holds it',
  },
];

const cases = readReference<{ readonly cases: readonly Case[] }>('updatedb.json');

/** The row before the job in our fields: due time and fetch time are separate, and so are old and new digest. */
function changeOf(row: ReferenceRow): PageChange {
  const { markers, signature, prevSignature } = row;
  const isFetched = markers._ftcmrk_ !== undefined;
  const marks: Record<string, string> = {};
  for (const [name, mark] of Object.entries(MARKS))
    if (markers[name] !== undefined) marks[mark] = BATCHES[markers[name]]!;
  // With a new digest, the page was parsed; a redirect has only old ones.
  const isParsed = signature !== undefined && row.status === 2;
  if (isParsed) marks.parse = B1;
  return {
    key: rowKeyOf(TARGET),
    set: {
      status: STATUSES[row.status] ?? 'unfetched',
      dueAt: Number(row.fetchTime),
      ...(isFetched && { fetchedAt: Number(row.fetchTime) }),
      fetchInterval: row.fetchInterval,
      retries: row.retriesSinceFetch,
      score: row.score,
      cash: row.metadata._csh_,
      ...(markers._gnmrk_ !== undefined && { cashInFlight: row.metadata._csh_ }),
      ...(markers.dist !== undefined && { distance: Number(markers.dist) }),
      ...(row.modifiedTime !== undefined && { modifiedAt: row.modifiedTime }),
      ...(isParsed && { newSignature: signature, signature: prevSignature }),
      ...(signature !== undefined && !isParsed && { signature, prevSignature }),
      inlinkBound: Object.keys(row.inlinks).length,
    },
    marks,
    inlinks: {
      position: 0,
      links: new Map(Object.entries(row.inlinks).map(([url, anchor]) => [rowKeyOf(url), { anchor, score: 0 }])),
    },
  };
}

/** A page of the batch that links to the target and passes on the given score. */
function sourceOf({ url, anchor, score, dist }: Case['input']['inlinks'][number]): PageChange {
  return {
    key: rowKeyOf(url),
    set: {
      status: 'fetched',
      dueAt: START,
      fetchedAt: START,
      score,
      cash: score,
      cashInFlight: score,
      outlinks: [{ url: TARGET, anchor }],
      ...(dist < 2 ** 31 - 1 && { distance: dist }),
    },
    marks: { generate: B1, fetch: B1, parse: B1 },
  };
}

async function run({ input }: Case): Promise<Row | null> {
  await using crawl = await testCrawl(undefined, {
    settings: Object.fromEntries(Object.entries(input.conf).map(([name, value]) => [SETTINGS[name] ?? name, value])),
  });
  const changes = [...(input.row ? [changeOf(input.row)] : []), ...input.inlinks.map(sourceOf)];
  await changeRows(crawl, changes);
  for (const batchId of [B1, BATCHES.b2!]) {
    const held = changes.filter(({ marks }) => marks?.generate === batchId);
    await crawl.tables.batches.enter(
      batchId,
      held.map(({ key }) => ({ rowKey: key, queue: new URL(urlOf(key)).host })),
    );
    await crawl.tables.batches.change(batchId, () => ({ state: 'open', size: held.length }));
  }
  await jobs.updatedb(crawl, { batch: B1 });
  expect((await jobs.repair(crawl)).counters).not.toHaveProperty('missing_frontier');
  return rowOf(crawl);
}

async function rowOf(crawl: OpenContext): Promise<Row | null> {
  const row = await crawl.page(TARGET, [
    'status',
    'dueAt',
    'fetchInterval',
    'retries',
    'score',
    'cash',
    'distance',
    'marks',
    'inlinks',
    'signature',
    'prevSignature',
    'modifiedAt',
  ]);
  if (!row) return null;
  const { key: _, ...rest } = row;
  return {
    ...rest,
    marks: rest.marks ?? {},
    inlinks: Object.fromEntries((rest.inlinks ?? []).map(({ url, anchor }) => [url, anchor])),
  };
}

/** The expected row in our fields. */
function translated(row: ReferenceRow): Row {
  const { markers } = row;
  const status = STATUSES[row.status];
  return {
    ...(status && { status }),
    dueAt: row.fetchTime === 'now' ? START : row.fetchTime,
    fetchInterval: row.fetchInterval,
    retries: row.retriesSinceFetch,
    score: row.score,
    cash: row.metadata._csh_,
    ...(markers.dist !== undefined && { distance: Number(markers.dist) }),
    marks: Object.fromEntries(
      Object.entries(MARKS).flatMap(([name, mark]) =>
        markers[name] === undefined ? [] : [[mark, BATCHES[markers[name]]!]],
      ),
    ),
    inlinks: row.inlinks,
    ...(row.signature !== undefined && { signature: row.signature }),
    ...(row.prevSignature !== undefined && { prevSignature: row.prevSignature }),
    ...(row.modifiedTime !== undefined && { modifiedAt: row.modifiedTime }),
  };
}

describe.skipIf(!cases)(referenceTitle('updatedb cases'), () => {
  it('leaves the same rows except for the deviations', async () => {
    expect(cases!.cases).toHaveLength(26);
    for (const [at, one] of cases!.cases.entries()) {
      const deviations = DEVIATIONS.filter((each) => each.at.includes(at));
      const actual = await run(one);
      if (one.expected === null) {
        expect([actual, deviations], `case ${at}`).toEqual([null, []]);
        continue;
      }
      const expected = translated(one.expected);
      for (const { row, reason } of deviations) {
        for (const [field, value] of Object.entries(row)) {
          expect(value, `case ${at}: no deviation (${reason})`).not.toEqual(expected[field as keyof Row]);
        }
      }
      const { modifiedAt, ...rest } = actual!;
      const compared = expected.modifiedAt === undefined ? rest : { ...rest, modifiedAt };
      expect(compared, `case ${at}`).toEqual(Object.assign({}, expected, ...deviations.map(({ row }) => row)));
    }
    for (const { at } of DEVIATIONS) for (const each of at) expect(cases!.cases[each]).toBeDefined();
  });
});
