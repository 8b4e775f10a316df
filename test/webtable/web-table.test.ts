import { describe, expect, expectTypeOf, it } from 'vitest';
import { MemoryStore, WebTable, createGroupWriter, type PageChange } from '../../webtable/index.js';

const open = async (): Promise<WebTable> => WebTable.open(new MemoryStore());
const KEY = 'com.example:http/';

describe('WebTable', () => {
  it('gives back every field as it was written', async () => {
    const table = await open();
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
      linkedUpTo: { '1-2': 5 },
      inlinkBound: 9,
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
    await table.write([{ key: KEY, set }]);
    const fields = Object.keys(set) as (keyof typeof set)[];
    const row = await table.get(KEY, fields);
    expect(row).toEqual({ key: KEY, ...set });
  });

  it('writes marks and inlinks cell by cell', async () => {
    const table = await open();
    await table.write([
      {
        key: KEY,
        marks: { generate: 'b1', inject: 'y' },
        inlinks: new Map([['org.b:http/', { anchor: 'B', score: 1 }]]),
      },
      { key: KEY, marks: { fetch: 'b1' }, inlinks: new Map([['org.a:http/', { anchor: 'A', score: 2 }]]) },
      { key: KEY, marks: { generate: null } },
    ]);
    expect(await table.get(KEY, ['inlinkCount'])).toEqual({ key: KEY, inlinkCount: 2 });
    expect(await table.get(KEY, ['marks', 'inlinks'])).toEqual({
      key: KEY,
      marks: { inject: 'y', fetch: 'b1' },
      inlinks: [
        { url: 'http://a.org/', anchor: 'A', score: 2 },
        { url: 'http://b.org/', anchor: 'B', score: 1 },
      ],
    });
    await table.write([{ key: KEY, inlinks: new Map([['org.a:http/', null]]) }]);
    expect((await table.get(KEY, ['inlinks']))?.inlinks).toHaveLength(1);
  });

  it('has no field that was not asked for, for the compiler either', async () => {
    const table = await open();
    await table.write([{ key: KEY, set: { score: 1, title: 't' } }]);
    const row = await table.get(KEY, ['score']);
    expect(row).toEqual({ key: KEY, score: 1 });
    expectTypeOf(row!.score).toEqualTypeOf<number | undefined>();
    // @ts-expect-error title was not asked for
    expect(row!.title).toBeUndefined();
    // @ts-expect-error inlinks are written cell by cell
    const wrong: PageChange = { key: KEY, set: { inlinks: [] } };
    expect(wrong).toBeDefined();
  });

  it('scans ranges and by mark, with or without the marks among the fields', async () => {
    const table = await open();
    await table.write(
      ['a', 'b', 'c', 'd'].map((name, i) => ({
        key: `com.${name}:http/`,
        set: { score: i },
        marks: { generate: i % 2 === 0 ? 'even' : 'odd' },
      })),
    );
    const scores = async (scan: Parameters<typeof table.scan<'score'>>[0]): Promise<(number | undefined)[]> => {
      const found = [];
      for await (const row of table.scan(scan)) found.push(row.score);
      return found;
    };
    expect(await scores({ fields: ['score'] })).toEqual([0, 1, 2, 3]);
    expect(await scores({ fields: ['score'], mark: { name: 'generate', batchId: 'odd' } })).toEqual([1, 3]);
    expect(await scores({ fields: ['score'], ranges: [{ start: 'com.c' }, { start: 'com.a', end: 'com.b' }] })).toEqual(
      [2, 3, 0],
    );
    expect(await scores({ fields: ['score'], limit: 1 })).toEqual([0]);
  });

  it('names damaged fields and keeps the rest', async () => {
    const table = await open();
    await table.write([{ key: KEY, set: { score: 1, metadata: { a: 'b' } }, marks: { generate: 'b' } }]);
    await table.store.write('webpage', [
      {
        key: KEY,
        put: new Map([
          ['m:md', Buffer.from('{"a":')],
          ['m:st', Uint8Array.of(99)],
          ['l:i:nonsense', Buffer.from('{}')],
        ]),
      },
    ]);
    const row = await table.get(KEY, ['score', 'metadata', 'status', 'marks', 'inlinks']);
    expect(row).toEqual({ key: KEY, score: 1, marks: { generate: 'b' }, damaged: ['metadata', 'status', 'inlinks'] });
  });

  it('refuses a table of another version and closes nothing over it', async () => {
    const store = new MemoryStore();
    await WebTable.open(store);
    await WebTable.open(store);
    await store.write('meta', [{ key: 'schema', put: new Map([['v:n', Buffer.from('999')]]) }]);
    await expect(WebTable.open(store)).rejects.toMatchObject({
      code: 'TABLE_VERSION',
      message: expect.stringMatching(/version \d+, found 999/) as string,
    });
  });

  it('runs exclusive tasks of one name in turn, also after one failed', async () => {
    const table = await open();
    const log: string[] = [];
    const task =
      (name: string, fails = false) =>
      async (): Promise<string> => {
        log.push(`${name} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const runs = [
      table.exclusive('x', task('a', true)),
      table.exclusive('x', task('b')),
      table.exclusive('y', task('c')),
    ];
    expect(await Promise.allSettled(runs)).toMatchObject([{ status: 'rejected' }, { value: 'b' }, { value: 'c' }]);
    expect(log.filter((line) => !line.startsWith('c'))).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
    expect(log.indexOf('c begins')).toBeLessThan(log.indexOf('a ends'));
  });
});

describe('createGroupWriter', () => {
  it('gathers what arrives during a write, and fails only those whose write failed', async () => {
    const groups: string[][] = [];
    let fail = false;
    const write = createGroupWriter({
      async write(changes) {
        groups.push(changes.map((change) => change.key));
        await new Promise((resolve) => setImmediate(resolve));
        if (fail) throw new Error('full');
      },
    });
    await Promise.all(['a', 'b', 'c'].map((key) => write({ key })));
    expect(groups).toEqual([['a'], ['b', 'c']]);
    fail = true;
    await expect(write({ key: 'd' })).rejects.toThrow('full');
    fail = false;
    await write({ key: 'e' });
    expect(groups.slice(2)).toEqual([['d'], ['e']]);
  });
});
