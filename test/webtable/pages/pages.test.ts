import { describe, expect, expectTypeOf, it } from 'vitest';
import { encodeInlinks } from '../../../webtable/pages/inlink-cell.js';
import { MemoryStore, openTables, type PageChange, type Pages } from '../../../webtable/index.js';

const open = async (): Promise<Pages> => (await openTables(new MemoryStore())).pages;
const KEY = 'com.example:http/';

describe('pages', () => {
  it('returns every field as it was written', async () => {
    const pages = await open();
    const set = {
      status: 'redir_perm',
      dueAt: 1_700_000_000_000,
      fetchedAt: 0,
      fetchInterval: 2_592_000,
      retries: 3,
      modifiedAt: -1,
      firstSeenAt: 1_600_000_000_000,
      changedAt: 1_650_000_000_000,
      foundAs: 'redirect 0123456789abcdef',
      score: 1.5e-300,
      cash: -0.25,
      cashInFlight: Number.MAX_VALUE,
      distance: 7,
      signature: 'aa',
      prevSignature: '',
      newSignature: 'bb',
      protocolStatus: { code: 'moved', http: 301, message: 'line\nbreak' },
      parseStatus: { code: 'success', noindex: true },
      contentType: 'text/html',
      redirectTarget: 'http://example.com/x',
      redirectDepth: 1,
      linkedUpTo: { '1-2/0f': 'b.com|com.b:http/' },
      inlinkBound: 9,
      refusedBy: 'distance-3',
      metadata: { __proto__x: 'y', ключ: '值' },
      outlinks: [{ url: 'http://a/', anchor: 'ä' }],
      title: '',
      text: '\u0000 中文',
      language: 'zh',
      pageMetadata: { a: '' },
      headers: { 'content-type': 'text/html' },
      contentLocation: { segment: 'a b', offset: 0, length: 2 ** 40 },
      contentVersions: [
        { segment: 's', offset: 1, length: 2 },
        { segment: 't', offset: 3, length: 4 },
      ],
    } as const satisfies PageChange['set'];
    await pages.write([{ key: KEY, set }]);
    const fields = Object.keys(set) as (keyof typeof set)[];
    const row = await pages.get(KEY, fields);
    expect(row).toEqual({ key: KEY, ...set });
  });

  it('writes marks cell by cell', async () => {
    const pages = await open();
    await pages.write([
      { key: KEY, marks: { generate: 'b1', inject: 'y' } },
      { key: KEY, marks: { fetch: 'b1' } },
      { key: KEY, marks: { generate: null } },
    ]);
    expect(await pages.get(KEY, ['marks'])).toEqual({ key: KEY, marks: { inject: 'y', fetch: 'b1' } });
  });

  it('writes the inlinks of a change as one cell; the last one of a source counts', async () => {
    const { pages, store } = await openTables(new MemoryStore());
    const bring = (position: number, links: Record<string, number>, replaces?: number[]): Promise<void> => {
      const all = Object.entries(links).map(([host, score]) => [`org.${host}:http/`, { anchor: host, score }] as const);
      return pages.write([{ key: KEY, inlinks: { position, links: new Map(all), ...(replaces && { replaces }) } }]);
    };
    const found = async (): Promise<unknown> => {
      const row = await pages.get(KEY, ['inlinks', 'inlinkCount']);
      expect(row?.inlinkCount).toBe(row?.inlinks?.length);
      return row?.inlinks?.map(({ url, score }) => `${url} ${score}`);
    };
    const columns = async (): Promise<unknown> => {
      const [row] = await store.get('webpage', [KEY], ['l']);
      return row && [...row.cells.keys()];
    };
    await bring(0, { b: 1, c: 1 });
    await bring(2, { a: 2, c: 2 });
    expect(await found()).toEqual(['http://a.org/ 2', 'http://b.org/ 1', 'http://c.org/ 2']);
    expect(await columns()).toEqual(['l:b:0000000000', 'l:b:0000000002']);
    const [stored, none] = await pages.storedInlinks([KEY, 'org.none:http/']);
    expect([...stored!.links.keys()]).toEqual(['org.b:http/', 'org.c:http/', 'org.a:http/']);
    expect(stored!.positions).toEqual([0, 2]);
    expect(none).toEqual({ links: new Map(), positions: [] });

    await bring(0, { c: 3 }, [0, 2]);
    expect(await found()).toEqual(['http://c.org/ 3']);
    expect(await columns()).toEqual(['l:b:0000000000']);
    await bring(0, {}, [0]);
    expect([await found(), await columns()]).toEqual([undefined, undefined]);
  });

  it('has only the requested fields, for the compiler too', async () => {
    const pages = await open();
    await pages.write([{ key: KEY, set: { score: 1, title: 't' } }]);
    const row = await pages.get(KEY, ['score']);
    expect(row).toEqual({ key: KEY, score: 1 });
    expectTypeOf(row!.score).toEqualTypeOf<number | undefined>();
    // @ts-expect-error title was not asked for
    expect(row!.title).toBeUndefined();
    // @ts-expect-error inlinks are written as a cell
    const wrong: PageChange = { key: KEY, set: { inlinks: [] } };
    expect(wrong).toBeDefined();
  });

  it('scans ranges one after the other, up to a limit', async () => {
    const pages = await open();
    await pages.write(
      ['a', 'b', 'c', 'd'].map((name, i) => ({
        key: `com.${name}:http/`,
        set: { score: i },
      })),
    );
    const scores = async (scan: Parameters<typeof pages.scan<'score'>>[0]): Promise<(number | undefined)[]> => {
      const found = [];
      for await (const row of pages.scan(scan)) found.push(row.score);
      return found;
    };
    expect(await scores({ fields: ['score'] })).toEqual([0, 1, 2, 3]);
    expect(await scores({ fields: ['score'], ranges: [{ start: 'com.c' }, { start: 'com.a', end: 'com.b' }] })).toEqual(
      [2, 3, 0],
    );
    expect(await scores({ fields: ['score'], limit: 1 })).toEqual([0]);
  });

  it('names damaged fields and returns the rest', async () => {
    const { pages, store } = await openTables(new MemoryStore());
    await pages.write([{ key: KEY, set: { score: 1, metadata: { a: 'b' } }, marks: { generate: 'b' } }]);
    await store.write('webpage', [
      {
        key: KEY,
        put: new Map([
          ['m:md', Buffer.from('{"a":')],
          ['m:st', Uint8Array.of(99)],
          ['l:b:0000000000', Buffer.from('{}')],
        ]),
      },
    ]);
    const row = await pages.get(KEY, ['score', 'metadata', 'status', 'marks', 'inlinks', 'inlinkCount']);
    const damaged = ['metadata', 'status', 'inlinks', 'inlinkCount'];
    expect(row).toEqual({ key: KEY, score: 1, marks: { generate: 'b' }, damaged });
    expect(await pages.storedInlinks([KEY])).toEqual([undefined]);
  });

  it.each([
    ['in a column without a position', 'l:b:nonsense', 'com.a:http/'],
    ['from a source that is no row key', 'l:b:0000000000', 'nonsense'],
  ] as const)('names inlinks %s as damaged', async (_, column, source) => {
    const { pages, store } = await openTables(new MemoryStore());
    const cell = encodeInlinks(new Map([[source, { anchor: '', score: 1 }]]));
    await store.write('webpage', [{ key: KEY, put: new Map([[column, cell]]) }]);
    expect(await pages.get(KEY, ['inlinks'])).toEqual({ key: KEY, damaged: ['inlinks'] });
  });
});
