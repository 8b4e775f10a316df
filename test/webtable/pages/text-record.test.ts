import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { MemoryStore, SegmentFolder, openTables, rowKeyOf, type ContentLocation } from '../../../webtable/index.js';
import { createPages, type Pages } from '../../../webtable/pages/pages.js';

const URL = 'http://a.com/';
const KEY = rowKeyOf(URL);
const TEXTS = {
  text: 'a text',
  textRanges: [{ start: 0, end: 3, kind: 'prose' }],
  headings: ['one', 'two'],
  outlinks: [{ url: 'http://b.com/', anchor: 'b' }],
  headers: { etag: '"1"' },
} as const;
const FIELDS = Object.keys(TEXTS) as (keyof typeof TEXTS)[];

let directory: string;
let store: MemoryStore;
let content: SegmentFolder;
let pages: Pages;
/** The locations that were read, and that were discarded. */
let read: ContentLocation[];
let discarded: ContentLocation[];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'webcrawl-texts-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  store = new MemoryStore();
  content = new SegmentFolder(directory);
  onTestFinished(() => content.close());
  [read, discarded] = [[], []];
  const [records, discard] = [content.records.bind(content), content.discard.bind(content)];
  content.records = (places) => (read.push(...places), records(places));
  content.discard = (places) => (discarded.push(...places), discard(places));
  pages = createPages(store, () => content);
});

const response = (body = 'body') => ({
  kind: 'response' as const,
  url: URL,
  date: 5,
  head: 'HTTP/1.1 200 OK\r\n',
  body: Buffer.from(body),
});
const textLocation = async (): Promise<ContentLocation> => (await pages.get(KEY, ['textLocation']))!.textLocation!;
const headersAt = async (place: ContentLocation) => (await content.records([place]))[0]!.headers;
const columns = async () => [...(await store.get('webpage', [KEY], ['m', 'p', 'l']))[0]!.cells.keys()];

describe('the text record of a row', () => {
  it('holds texts, links and headers, which are not in the row', async () => {
    await pages.write([{ key: KEY, set: { ...TEXTS, title: 't', score: 1 } }]);
    expect(await columns()).toEqual(['m:sc', 'm:ta', 'p:ti']);
    expect(await pages.get(KEY, ['title', ...FIELDS])).toEqual({ key: KEY, title: 't', ...TEXTS });
    const rows = [];
    for await (const row of pages.scan({ fields: ['text', 'score'] })) rows.push(row);
    expect(rows).toEqual([{ key: KEY, text: 'a text', score: 1 }]);
  });

  it('is not read for other fields', async () => {
    await pages.write([{ key: KEY, set: { ...TEXTS, title: 't' } }]);
    expect(await pages.get(KEY, ['title', 'textLocation'])).toMatchObject({ title: 't' });
    expect(read).toEqual([]);
  });

  it('is absent from a read that asks only for fields it does not have', async () => {
    await pages.write([{ key: KEY, set: { text: 'a' } }]);
    expect(await pages.get(KEY, ['headings'])).toBeUndefined();
    const rows = [];
    for await (const row of pages.scan({ fields: ['headings'] })) rows.push(row);
    expect(rows).toEqual([]);
  });

  it('follows the response in the segment, and refers to it', async () => {
    await pages.write([{ key: KEY, set: TEXTS, record: response() }]);
    const { contentLocation, textLocation: text } = (await pages.get(KEY, ['contentLocation', 'textLocation']))!;
    expect(text).toMatchObject({
      segment: contentLocation!.segment,
      offset: contentLocation!.offset + contentLocation!.length,
    });
    const headers = Object.fromEntries(await headersAt(text!));
    expect(headers).toMatchObject({
      'warc-type': 'metadata',
      'warc-target-uri': URL,
      'warc-refers-to': (await headersAt(contentLocation!)).get('warc-record-id'),
      'content-type': 'application/x-webcrawl-cells',
    });
  });

  it('refers to the stored response if it is written later', async () => {
    await pages.write([{ key: KEY, set: { headers: {}, fetchedAt: 7000 }, record: response() }]);
    await pages.write([{ key: KEY, set: { text: 'later' } }]);
    const { contentLocation, textLocation: text } = (await pages.get(KEY, ['contentLocation', 'textLocation']))!;
    const headers = await headersAt(text!);
    expect(headers.get('warc-refers-to')).toBe((await headersAt(contentLocation!)).get('warc-record-id'));
    expect(headers.get('warc-date')).toBe('1970-01-01T00:00:07.000Z');
  });

  it('is stored without a response, and then refers to none', async () => {
    await pages.write([{ key: KEY, set: TEXTS }]);
    expect((await headersAt(await textLocation())).has('warc-refers-to')).toBe(false);
  });

  it('keeps the fields that a change does not name', async () => {
    await pages.write([{ key: KEY, set: TEXTS }]);
    const first = await textLocation();
    await pages.write([{ key: KEY, set: { text: 'new' }, unset: ['headings'] }]);
    const { headings: _, ...rest } = TEXTS;
    expect(await pages.get(KEY, FIELDS)).toEqual({ key: KEY, ...rest, text: 'new' });
    expect(discarded).toEqual([first]);
  });

  it('is replaced without a read by a change that names all its fields', async () => {
    await pages.write([{ key: KEY, set: TEXTS }]);
    const first = await textLocation();
    await pages.write([
      { key: KEY, set: { text: 'new', outlinks: [], headers: {} }, unset: ['headings', 'textRanges'] },
    ]);
    expect(read).toEqual([]);
    expect(discarded).toEqual([first]);
    expect(await pages.get(KEY, FIELDS)).toEqual({ key: KEY, text: 'new', outlinks: [], headers: {} });
  });

  it('is replaced without a read of the row by a change that also has a body', async () => {
    let gets = 0;
    const get = store.get.bind(store);
    store.get = (...args) => (gets++, get(...args));
    await pages.write([{ key: KEY, set: TEXTS, record: response() }]);
    expect(gets).toBe(0);
    const first = await textLocation();
    await pages.write([{ key: KEY, set: TEXTS, record: response(), discard: [first] }]);
    await pages.write([{ key: KEY, set: { headers: {} }, record: response(), discard: [await textLocation()] }]);
    expect(discarded).toHaveLength(2);
  });

  it('is discarded when its last field is removed', async () => {
    await pages.write([{ key: KEY, set: { text: 'a', score: 1 } }]);
    const first = await textLocation();
    await pages.write([{ key: KEY, unset: ['text'] }]);
    expect(discarded).toEqual([first]);
    expect(await columns()).toEqual(['m:sc']);
  });

  it('has the result of all changes of one call', async () => {
    await pages.write([
      { key: KEY, set: { text: 'a', headings: ['a'] } },
      { key: KEY, set: { text: 'b' } },
    ]);
    expect(await pages.get(KEY, FIELDS)).toEqual({ key: KEY, text: 'b', headings: ['a'] });
  });

  it.each(['a flipped bit', 'a missing segment', 'the record of another page'])(
    'is damaged, and not empty, with %s',
    async (how) => {
      await pages.write([{ key: KEY, set: { ...TEXTS, title: 't' } }]);
      const { segment, offset, length } = await textLocation();
      const path = join(directory, `${segment}.warc.gz`);
      if (how === 'a missing segment') await rm(path);
      else if (how === 'a flipped bit') {
        const bytes = await readFile(path);
        bytes[offset + length - 30]! ^= 1;
        await writeFile(path, bytes);
      } else {
        await pages.write([{ key: rowKeyOf('http://b.com/'), set: { text: 'other' } }]);
        const other = await pages.get(rowKeyOf('http://b.com/'), ['textLocation']);
        await pages.write([{ key: KEY, set: { textLocation: other!.textLocation! } }]);
      }
      const damaged = ['text: the record is missing or not as it was stored'];
      expect(await pages.get(KEY, ['title', 'text'])).toEqual({ key: KEY, title: 't', damaged });
      expect(await pages.get(KEY, ['title'])).toEqual({ key: KEY, title: 't' });
    },
  );

  it('is readable again after a change, if it was damaged', async () => {
    await pages.write([{ key: KEY, set: TEXTS }]);
    const { segment } = await textLocation();
    await pages.write([{ key: KEY, set: { textLocation: { segment, offset: 1, length: 2 } } }]);
    await pages.write([{ key: KEY, set: { text: 'new' } }]);
    expect(await pages.get(KEY, FIELDS)).toEqual({ key: KEY, text: 'new' });
  });

  it('is a cell of the table of bodies if the store has no segments', async () => {
    const tables = await openTables(store);
    await tables.pages.write([{ key: KEY, set: TEXTS, record: response() }]);
    const kinds = async (): Promise<unknown[]> => {
      const found = [];
      for await (const { cells } of store.scan('content', { columns: ['c'] })) {
        found.push(/WARC-Type: (\w+)/.exec(Buffer.from(cells.get('c:b')!).toString('latin1'))![1]);
      }
      return found.sort();
    };
    expect(await kinds()).toEqual(['metadata', 'response']);
    expect(await tables.pages.get(KEY, FIELDS)).toEqual({ key: KEY, ...TEXTS });
    await tables.pages.write([{ key: KEY, unset: FIELDS }]);
    expect(await kinds()).toEqual(['response']);
  });
});
