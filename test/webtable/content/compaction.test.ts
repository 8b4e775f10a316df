import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MemoryStore,
  SegmentFolder,
  openTables,
  rowKeyOf,
  type ContentLocation,
  type ContentRecord,
  type ContentStore,
} from '../../../webtable/index.js';
import { createRowContent } from '../../../webtable/content/row-content.js';
import { testFolder } from '../../support/files/temp-folder.js';

const url = (n: number): string => `http://a.com/${n}`;
const page = (n: number, body: string): ContentRecord => {
  return { kind: 'response', url: url(n), date: n, head: 'HTTP/1.1 200 OK\r\n', body: Buffer.from(body) };
};

class Killed extends Error {}

/** Compacts as the job does; `step` is called between any two steps, and may throw like a kill. */
async function compact(
  store: ContentStore,
  rows: Map<number, ContentLocation>,
  step: () => void = () => {},
): Promise<void> {
  const compaction = await store.compaction();
  step();
  for (const place of rows.values()) compaction.note([place]);
  step();
  if (!(await compaction.begin())) return;
  step();
  const inOrder = [...rows].sort(([a], [b]) => (rowKeyOf(url(a)) < rowKeyOf(url(b)) ? -1 : 1));
  for (const [n, place] of inOrder) {
    const [moved] = await compaction.move([place]);
    step();
    if (moved) rows.set(n, moved);
    step();
  }
  await compaction.finish();
  step();
}

async function bodies(store: ContentStore, rows: Map<number, ContentLocation>): Promise<Record<number, string | null>> {
  const found = await store.read([...rows.values()]);
  return Object.fromEntries(
    [...rows.keys()].map((n, i) => [n, found[i] ? Buffer.from(found[i].body).toString() : null]),
  );
}

const size = async (directory: string): Promise<number> => {
  const files = (await readdir(directory)).filter((name) => name.endsWith('.warc.gz'));
  return (await Promise.all(files.map((name) => readFile(join(directory, name))))).reduce(
    (sum, { length }) => sum + length,
    0,
  );
};

/** Ten pages; every second one was fetched again, and one is gone. */
async function fill(store: ContentStore): Promise<Map<number, ContentLocation>> {
  const rows = new Map<number, ContentLocation>();
  for (let n = 0; n < 10; n++) rows.set(n, (await store.append([page(n, `old ${n}`)]))[0]!);
  for (let n = 0; n < 10; n += 2) rows.set(n, (await store.append([page(n, `new ${n}`)]))[0]!);
  rows.delete(9);
  return rows;
}
const LIVE = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n, `${n % 2 ? 'old' : 'new'} ${n}`]));

describe('a compaction of segments', () => {
  it('frees bodies that no row points at, and copies the rest once', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory, { segmentBytes: 1500 });
    const rows = await fill(store);
    const before = await size(directory);
    await compact(store, rows);
    expect(await bodies(store, rows)).toEqual(LIVE);
    expect(await size(directory)).toBeLessThan(before * 0.75);
    await compact(store, rows);
    expect(await bodies(store, rows)).toEqual(LIVE);
    await store.close();
  });

  it('leaves full segments without waste alone, and removes those without needed bodies', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory, { segmentBytes: 1500 });
    const rows = await fill(store);
    await compact(store, rows);
    await store.close();
    const again = new SegmentFolder(directory, { segmentBytes: 400 });
    const places = new Map(rows);
    await compact(again, rows);
    expect(rows).toEqual(places);
    await compact(again, new Map());
    expect((await readdir(directory)).filter((name) => name.endsWith('.warc.gz'))).toEqual([]);
    await again.close();
  });

  it('loses nothing when it is killed between any two steps, and continues when it runs again', async () => {
    const base = testFolder();
    let struck = true;
    for (let killAt = 1; struck; killAt++) {
      struck = false;
      const directory = join(base, String(killAt));
      const store = new SegmentFolder(directory, { segmentBytes: 1500 });
      const rows = await fill(store);
      let steps = 0;
      const step = (): void => {
        if (++steps !== killAt) return;
        struck = true;
        throw new Killed();
      };
      await compact(store, rows, step).catch((error: unknown) => expect(error).toBeInstanceOf(Killed));
      // The killed process closes nothing; another one opens the folder.
      const next = new SegmentFolder(directory, { segmentBytes: 1500 });
      expect(await bodies(next, rows), `killed at ${killAt}`).toEqual(LIVE);
      await compact(next, rows);
      expect(await bodies(next, rows)).toEqual(LIVE);
      const live = await size(directory);
      await compact(next, rows);
      expect(await size(directory)).toBeLessThanOrEqual(live);
      await next.close();
      await store.close();
    }
  });

  it('does not disturb other appends and reads', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory, { segmentBytes: 1500 });
    const rows = await fill(store);
    const added = new Map<number, ContentLocation>();
    let n = 100;
    const appends: Promise<void>[] = [];
    await compact(store, rows, () => {
      const at = n++;
      appends.push(store.append([page(at, `new ${at}`)]).then(([place]) => void added.set(at, place!)));
    });
    await Promise.all(appends);
    expect(await bodies(store, rows)).toEqual(LIVE);
    for (const [at, body] of Object.entries(await bodies(store, added))) expect(body).toBe(`new ${at}`);
    await store.close();
  });

  it('leaves a body that cannot be read in its place, and copies the others', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory);
    const rows = await fill(store);
    rows.set(3, { ...rows.get(3)!, length: rows.get(3)!.length - 1 });
    await compact(store, rows);
    expect(await bodies(store, rows)).toEqual({ ...LIVE, 3: null });
    await store.close();
  });

  it('becomes worthwhile by the number of discarded bytes, also after a restart', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory, { worthBytes: 0 });
    const places = await store.append(Array.from({ length: 10 }, (_, n) => page(n, `${n}`)));
    await store.discard(places.slice(0, 4));
    expect(await store.isMostlyDead()).toBe(false);
    await store.discard(places.slice(4, 5));
    await store.close();
    const again = new SegmentFolder(directory, { worthBytes: 0 });
    expect(await again.isMostlyDead()).toBe(false);
    await again.discard(places.slice(5, 8));
    expect(await again.isMostlyDead()).toBe(true);
    await compact(again, new Map(places.slice(8).map((place, i) => [8 + i, place])));
    expect(await again.isMostlyDead()).toBe(false);
    await again.close();
  });

  it('is not worthwhile for a few bytes', async () => {
    const directory = testFolder();
    const store = new SegmentFolder(directory);
    await store.discard(await store.append([page(1, 'x'), page(2, 'y')]));
    expect(await store.isMostlyDead()).toBe(false);
    await store.close();
  });
});

describe.each<[string, (directory: string) => () => ContentStore]>([
  ['segments', (directory) => () => new SegmentFolder(directory, { segmentBytes: 1200 })],
  [
    'rows',
    () => {
      const store = new MemoryStore();
      return () => createRowContent(store);
    },
  ],
])('a history of appends, discards, reopenings and compactions on %s', (_, openerOf) => {
  it('always reads what a map would', async () => {
    const base = testFolder();
    let runs = 0;
    const command = fc.oneof(
      fc.record({ kind: fc.constant('put' as const), pages: fc.array(fc.nat(8), { minLength: 1, maxLength: 4 }) }),
      fc.record({ kind: fc.constant('remove' as const), pages: fc.array(fc.nat(8), { maxLength: 2 }) }),
      fc.record({
        kind: fc.constantFrom('compact' as const, 'reopen' as const, 'kill' as const),
        pages: fc.constant([]),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const open = openerOf(join(base, String(runs++)));
        let store = open();
        const killed: ContentStore[] = [];
        const rows = new Map<number, ContentLocation>();
        const model: Record<number, string> = {};
        let version = 0;
        for (const { kind, pages } of commands) {
          if (kind === 'put') {
            const wanted = [...new Set(pages)];
            const texts = wanted.map((n) => `${n} in version ${version++}`);
            const places = await store.append(wanted.map((n, i) => page(n, texts[i]!)));
            const before = wanted.flatMap((n) => rows.get(n) ?? []);
            for (const [i, n] of wanted.entries()) {
              rows.set(n, places[i]!);
              model[n] = texts[i]!;
            }
            await store.discard(before);
          } else if (kind === 'remove') {
            for (const n of new Set(pages)) {
              const place = rows.get(n);
              rows.delete(n);
              delete model[n];
              if (place) await store.discard([place]);
            }
          } else if (kind === 'compact') {
            await compact(store, rows);
          } else {
            if (kind === 'reopen') await store.close();
            else killed.push(store);
            store = open();
          }
          expect(await bodies(store, rows)).toEqual(model);
        }
        await store.close();
        for (const other of killed) await other.close();
      }),
      { numRuns: 60 },
    );
  });
});

it('finds a body that moved after its row was read', async () => {
  const directory = testFolder();
  const content = new SegmentFolder(directory);
  const store = Object.assign(new MemoryStore(), { content });
  const { pages: table } = await openTables(store);
  const key = rowKeyOf(url(1));
  await table.write([{ key, record: page(1, 'body') }]);
  const { read } = content;
  const move = async (): Promise<void> => {
    content.read = read;
    const rows = new Map([[1, (await table.get(key, ['contentLocation']))!.contentLocation!]]);
    await content.append([page(2, 'dead')]);
    await compact(content, rows);
    await table.write([{ key, set: { contentLocation: rows.get(1)! } }]);
  };
  for (const find of [
    () => table.get(key, ['content']),
    async () => {
      for await (const row of table.scan({ fields: ['content'] })) return row;
      return undefined;
    },
  ]) {
    content.read = async (places) => {
      await move();
      return read.call(content, places);
    };
    expect(Buffer.from((await find())!.content!).toString()).toBe('body');
  }
  await content.close();
});
