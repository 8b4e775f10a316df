import { describe, expect, expectTypeOf, it } from 'vitest';
import { MemoryStore, openTables, createGroupWriter, type PageChange, type Pages } from '../../../webtable/index.js';

const open = async (): Promise<Pages> => (await openTables(new MemoryStore())).pages;
const KEY = 'com.example:http/';

describe('pages', () => {
  it('gives back every field as it was written', async () => {
    const pages = await open();
    const set = {
      status: 'redir_perm',
      dueAt: 1_700_000_000_000,
      fetchedAt: 0,
      fetchInterval: 2_592_000,
      retries: 3,
      modifiedTime: -1,
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
      contentAt: { segment: 'a b', offset: 0, length: 2 ** 40 },
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

  it('writes marks and inlinks cell by cell', async () => {
    const pages = await open();
    await pages.write([
      {
        key: KEY,
        marks: { generate: 'b1', inject: 'y' },
        inlinks: new Map([['org.b:http/', { anchor: 'B', score: 1 }]]),
      },
      { key: KEY, marks: { fetch: 'b1' }, inlinks: new Map([['org.a:http/', { anchor: 'A', score: 2 }]]) },
      { key: KEY, marks: { generate: null } },
    ]);
    expect(await pages.get(KEY, ['inlinkCount'])).toEqual({ key: KEY, inlinkCount: 2 });
    expect(await pages.get(KEY, ['marks', 'inlinks'])).toEqual({
      key: KEY,
      marks: { inject: 'y', fetch: 'b1' },
      inlinks: [
        { url: 'http://a.org/', anchor: 'A', score: 2 },
        { url: 'http://b.org/', anchor: 'B', score: 1 },
      ],
    });
    await pages.write([{ key: KEY, inlinks: new Map([['org.a:http/', null]]) }]);
    expect((await pages.get(KEY, ['inlinks']))?.inlinks).toHaveLength(1);
  });

  it('has no field that was not asked for, for the compiler either', async () => {
    const pages = await open();
    await pages.write([{ key: KEY, set: { score: 1, title: 't' } }]);
    const row = await pages.get(KEY, ['score']);
    expect(row).toEqual({ key: KEY, score: 1 });
    expectTypeOf(row!.score).toEqualTypeOf<number | undefined>();
    // @ts-expect-error title was not asked for
    expect(row!.title).toBeUndefined();
    // @ts-expect-error inlinks are written cell by cell
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

  it('names damaged fields and keeps the rest', async () => {
    const { pages, store } = await openTables(new MemoryStore());
    await pages.write([{ key: KEY, set: { score: 1, metadata: { a: 'b' } }, marks: { generate: 'b' } }]);
    await store.write('webpage', [
      {
        key: KEY,
        put: new Map([
          ['m:md', Buffer.from('{"a":')],
          ['m:st', Uint8Array.of(99)],
          ['l:i:nonsense', Buffer.from('{}')],
        ]),
      },
    ]);
    const row = await pages.get(KEY, ['score', 'metadata', 'status', 'marks', 'inlinks']);
    expect(row).toEqual({ key: KEY, score: 1, marks: { generate: 'b' }, damaged: ['metadata', 'status', 'inlinks'] });
  });
});

describe('createGroupWriter', () => {
  it('gathers what arrives together, and fails only those whose write failed', async () => {
    const groups: string[][] = [];
    let fail = false;
    const write = createGroupWriter<string>(async (keys) => {
      groups.push([...keys]);
      await new Promise((resolve) => setImmediate(resolve));
      if (fail) throw new Error('full');
    });
    await Promise.all(['a', 'b', 'c'].map((key) => write(key)));
    expect(groups).toEqual([['a', 'b', 'c']]);
    fail = true;
    await expect(write('d')).rejects.toThrow('full');
    fail = false;
    await write('e');
    expect(groups.slice(1)).toEqual([['d'], ['e']]);
  });
});
