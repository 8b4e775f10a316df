import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Parser } from 'htmlparser2';
import { loadDiffer, logPlaces, readChanges, type LoggedRecord } from '../../packages/changes/index.js';
import { servePages, type ChangesSource } from '../../packages/serve/index.js';
import { createChangeEvents } from '../../packages/serve/changes/change-events.js';
import { jobs } from '../../packages/webcrawl/internal.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { cursorOfTime } from '../../packages/core/index.js';
import { fakeSource } from '../support/web/fake-source.js';
import { writeChanges } from '../support/made-changes.js';
import { until } from '../support/events.js';
import { fakeWeb, type FakeWeb } from '../support/web/fake-web.js';

const DAY = 86_400_000;
const HOST = 'http://docs.example.com';
/** A title as a hostile site may have it. */
const EVIL = '</title><script>alert(1)</script>"\'&\u202e\u0001 ]]>';
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const SEED = { seeds: [`${HOST}/`] };

const page = (title: string): string =>
  `<title>${title.replaceAll('<', '&lt;')}</title><p>This text says at length what the page is about.</p>`;

/** A source that works on a crawl. */
const sourceOf = (crawl: TestCrawl): ChangesSource => ({
  read: (options) => readChanges(crawl, options),
  diff: async (record) => (await loadDiffer(crawl))(record),
  places: (cursor) => logPlaces(crawl, cursor),
  tableId: () => crawl.tables.id(),
});

interface Site {
  readonly crawl: TestCrawl;
  readonly web: FakeWeb;
  /** Gives the pages new titles, and crawls again some days later. */
  retitle(title: string, names?: readonly string[]): Promise<void>;
  ask(path: string, headers?: Record<string, string>): Promise<Response>;
}

async function site(): Promise<Site> {
  const links = NAMES.map((name) => `<a href="/${name}">x</a>`).join('');
  const web = fakeWeb({
    [`${HOST}/`]: `${page('Home')}${links}`,
    ...Object.fromEntries(NAMES.map((name) => [`${HOST}/${name}`, page(name)])),
  });
  const crawl = await testCrawl(web);
  onTestFinished(() => crawl.close());
  await jobs.crawl(crawl, SEED);
  const served = await servePages(fakeSource({ changes: sourceOf(crawl) }), { port: 0 });
  onTestFinished(() => served.close());
  let days = 0;
  return {
    crawl,
    web,
    async retitle(title, names = NAMES) {
      for (const name of names) web.set(`${HOST}/${name}`, page(`${title} ${name}`));
      days += 40;
      crawl.setTime(START + days * DAY);
      await jobs.crawl(crawl, SEED);
    },
    ask: (path, headers = {}) => fetch(new URL(path, served.url), { headers }),
  };
}

const urlOf = (record: LoggedRecord): string => (record.type === 'page' ? record.url.replace(`${HOST}/`, '') : '');

type SeenEvent = [event: string, data: string, id: string];

/** The events of a stream, as `[event, data, id]`; comments are left out. */
async function* eventsOf(response: Response): AsyncGenerator<SeenEvent, undefined> {
  let text = '';
  const reader = response.body!.getReader();
  onTestFinished(() => void reader.cancel().catch(() => undefined));
  for (;;) {
    const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
    if (done || !value) return;
    text += Buffer.from(value).toString();
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string): string =>
        fields.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('event') !== '' || field('id') !== '') yield [field('event'), field('data'), field('id')];
    }
  }
}

/** The given number of events that have a name. */
async function take(events: AsyncGenerator<SeenEvent, undefined>, count: number): Promise<SeenEvent[]> {
  const found: SeenEvent[] = [];
  while (found.length < count) {
    const { value } = await events.next();
    if (!value) break;
    if (value[0] !== '') found.push(value);
  }
  return found;
}

describe('changes as JSON', () => {
  it('begin after a time or a cursor, in pages, and state where to continue', async () => {
    const { retitle, ask } = await site();
    await retitle('one');
    const first = (await (await ask('/api/changes?since=0000000&limit=3')).json()) as {
      changes: LoggedRecord[];
      next: string;
      more: boolean;
      complete: boolean;
      baseline: number;
    };
    expect(first).toMatchObject({ more: true, complete: false, baseline: 6 });
    expect(first.changes.map(urlOf)).toEqual(['a', 'b', 'c']);
    const rest = (await (await ask(`/api/changes?cursor=${encodeURIComponent(first.next)}`)).json()) as typeof first;
    expect(rest.changes.map(urlOf)).toEqual(['d', 'e']);
    expect(rest.more).toBe(false);
    const none = (await (await ask(`/api/changes?cursor=${encodeURIComponent(rest.next)}`)).json()) as typeof first;
    expect([none.changes, none.next]).toEqual([[], rest.next]);
    await retitle('two', ['b']);
    const later = (await (await ask(`/api/changes?cursor=${encodeURIComponent(rest.next)}`)).json()) as typeof first;
    expect(later.changes.map(urlOf)).toEqual(['b']);
  });

  it.each(['kind=none', 'cursor=x', 'before=x', 'limit=0', 'limit=x', 'since=2026-02', 'since=nomark'])(
    'with %s are rejected',
    async (query) => {
      const { ask } = await site();
      const response = await ask(`/api/changes?${query}`);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'USAGE' } });
    },
  );
});

describe('the feeds', () => {
  it('have the newest entries first, link to older ones, and have the same id for an entry', async () => {
    const { retitle, ask } = await site();
    await retitle('one');
    await retitle(EVIL, ['a', 'b']);
    const first = await ask('/changes.json?limit=3');
    expect(first.headers.get('content-type')).toBe('application/feed+json; charset=utf-8');
    const feed = (await first.json()) as {
      version: string;
      items: { id: string; url: string; title: string; content_text: string; tags: string[] }[];
      next_url: string;
      feed_url: string;
    };
    expect(feed.version).toBe('https://jsonfeed.org/version/1.1');
    expect(feed.items.map(({ url }) => url)).toEqual([`${HOST}/b`, `${HOST}/a`, `${HOST}/e`]);
    expect(feed.items[0]).toMatchObject({ tags: ['title'], title: expect.stringContaining('<script>') as string });
    expect(JSON.stringify(feed)).not.toContain('\\u0001');
    const older = (await (await fetch(feed.next_url)).json()) as typeof feed;
    expect(older.items.map(({ url }) => url)).toEqual(['d', 'c', 'b', 'a'].map((name) => `${HOST}/${name}`));
    expect(older.next_url).toBeUndefined();
    const ids = [...feed.items, ...older.items].map(({ id }) => id);
    expect(new Set(ids).size).toBe(7);
    for (const id of ids) expect(id).toMatch(/^tag:[0-9a-f-]{36}\.webcrawl\.invalid,2026:[\w%.~*'()-]+$/);

    const atom = await ask('/changes.atom?limit=3');
    expect(atom.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
    const seen = elementsOf(await atom.text());
    expect(seen.filter(([name]) => name === 'id').map(([, text]) => text)).toEqual([
      expect.stringMatching(/^tag:.*:changes$/),
      ...ids.slice(0, 3),
    ]);
    expect(seen.filter(([name]) => name === 'script')).toEqual([]);
    expect(seen.filter(([name]) => name === 'updated').every(([, text]) => /^\d{4}-.*Z$/.test(text))).toBe(true);
    expect(seen.filter(([name, , { rel }]) => name === 'link' && rel === 'next')).toHaveLength(1);
  });

  it('are empty before a change that the log no longer has', async () => {
    const { ask, retitle } = await site();
    await retitle('one');
    for (const path of ['/changes', '/changes.json', '/changes.atom']) {
      expect((await ask(`${path}?before=${cursorOfTime(START - DAY)}`)).status).toBe(200);
    }
    const feed = await (await ask(`/changes.json?before=${cursorOfTime(START - DAY)}`)).json();
    expect(feed).toMatchObject({ items: [] });
    expect(feed).not.toHaveProperty('next_url');
  });

  it('cost nothing when requested again unchanged, and are valid without changes', async () => {
    const { ask } = await site();
    const first = await ask('/changes.atom');
    const etag = first.headers.get('etag')!;
    expect(elementsOf(await first.text()).map(([name]) => name)).toEqual(
      expect.arrayContaining(['id', 'title', 'updated', 'author']),
    );
    expect((await ask('/changes.atom', { 'if-none-match': etag })).status).toBe(304);
  });

  it('are followed by the page, which escapes titles and links to older ones', async () => {
    const { retitle, ask } = await site();
    await retitle('one');
    await retitle(EVIL, ['a']);
    const text = await (await ask('/changes?limit=1')).text();
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script&gt;alert(1)');
    const [, older] = /rel="next" href="([^"]+)"/.exec(text)!;
    const next = await (await ask(older!.replaceAll('&amp;', '&'))).text();
    expect(next).toContain('docs.example.com/e');
    expect(next).not.toContain('alert(1)');
    expect(await (await ask('/changes?kind=gone&host=docs.example.com')).text()).toContain('No change of a page');
    for (const path of ['/changes', '/changes.atom', '/changes/events', '/api/changes']) {
      expect((await ask(`${path}?host=https://docs.example.com/`)).status).toBe(400);
    }
  });
});

/** The XML elements with their own text and attributes; throws if the text is not well-formed as far as the parser checks it. */
function elementsOf(text: string): [name: string, text: string, attributes: Record<string, string>][] {
  const found: [string, string, Record<string, string>][] = [];
  const open: (typeof found)[number][] = [];
  const parser = new Parser(
    {
      onopentag: (name, attributes) => void (found.push([name, '', attributes]), open.push(found.at(-1)!)),
      ontext: (part) => open.length > 0 && (open.at(-1)![1] += part),
      onclosetag: (name) => void expect(open.pop()?.[0]).toBe(name),
    },
    { xmlMode: true },
  );
  parser.end(text);
  expect(open).toEqual([]);
  return found;
}

describe('the events', () => {
  it('are sent as changes are found, and continue after the last id', async () => {
    const { retitle, ask } = await site();
    const response = await ask('/changes/events?kind=title');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const live = eventsOf(response);
    const [, , begin] = (await live.next()).value!;
    await retitle('one');
    const found = await take(live, 5);
    expect(found.map(([event, data]) => [event, urlOf(JSON.parse(data) as LoggedRecord)])).toEqual(
      NAMES.map((name) => ['change', name]),
    );
    for (const [, data, id] of found) expect((JSON.parse(data) as LoggedRecord).cursor).toBe(id);
    // A client that was away misses nothing, wherever it stopped.
    await retitle('two', ['c']);
    const idOf = (i: number): string => found[i]![2];
    for (const [last, expected] of [
      [begin, [...NAMES, 'c']],
      [idOf(2), ['d', 'e', 'c']],
      [idOf(4), ['c']],
    ] as const) {
      const again = await take(eventsOf(await ask('/changes/events', { 'last-event-id': last })), expected.length);
      expect(again.map(([, data]) => urlOf(JSON.parse(data) as LoggedRecord))).toEqual(expected);
    }
    const since = await take(eventsOf(await ask('/changes/events?since=0000000')), 6);
    expect(since).toHaveLength(6);
  });

  it('include a long log completely, each entry once', async () => {
    const { crawl, ask } = await site();
    const names = Array.from({ length: 1_000 }, (_, i) => String(i).padStart(4, '0'));
    await writeChanges(crawl, names, { at: START + DAY });
    await writeChanges(crawl, ['x'], { at: START + 2 * DAY });
    const found = await take(eventsOf(await ask('/changes/events?since=0000000')), names.length + 1);
    const urls = found.map(([, data]) => urlOf(JSON.parse(data) as LoggedRecord));
    expect(urls).toEqual([...names, 'x']);
  });

  it('of several clients are read in turns, a part of the log at a time, even if a filter finds nothing', async () => {
    const { crawl } = await site();
    const names = Array.from({ length: 1_200 }, (_, i) => String(i).padStart(4, '0'));
    await writeChanges(crawl, names, { at: START + DAY });
    let begin = (): void => {};
    const isBegun = new Promise<void>((resolve) => (begin = resolve));
    const read: (string | undefined)[] = [];
    const held: ChangesSource['read'] = (options, signal) => {
      read.push(options.cursor);
      const found = readChanges(crawl, options, signal);
      return {
        ...found,
        async *[Symbol.asyncIterator]() {
          await isBegun;
          yield* found;
        },
      };
    };
    const served = await servePages(fakeSource({ changes: { ...sourceOf(crawl), read: held } }), { port: 0 });
    onTestFinished(() => served.close());
    const start = cursorOfTime(START + 1);
    const url = new URL(`/changes/events?host=none.example&cursor=${start}`, served.url);
    const streams = [eventsOf(await fetch(url)), eventsOf(await fetch(url))];
    begin();
    for (const stream of streams) {
      const ids: (string | undefined)[] = [];
      while (ids.length < 4) ids.push((await stream.next()).value?.[2]);
      const nameOf = (id?: string) => id?.split('/').at(-1);
      expect(ids.map(nameOf)).toEqual([start, '0499', '0999', (await logPlaces(crawl)).next]);
    }
    expect(read.slice(0, 6).map((cursor) => cursor?.split('/').at(-1))).toEqual(
      [start, '0499', '0999'].flatMap((each) => [each, each]),
    );
  });

  it('begin with reset for a cursor that is unknown or too old, followed by all stored events', async () => {
    const { crawl, retitle, ask } = await site();
    await retitle('one');
    const [[, , known]] = (await take(eventsOf(await ask('/changes/events?since=0000000')), 1)) as [
      [string, string, string],
    ];
    const strange = known.replace(/\|p.*/, '|pcom.example:http/none');
    const later = `f${known.slice(1)}`;
    for (const last of ['nonsense', strange, later]) {
      const [reset, first] = await take(eventsOf(await ask('/changes/events', { 'last-event-id': last })), 2);
      expect([last, reset![0], first![0]]).toEqual([last, 'reset', 'change']);
      expect(JSON.parse(reset![1])).toEqual({ oldest: reset![2] });
      expect(first![2]).toBe(known);
    }
    // More than two months later the first ones are no longer stored.
    await retitle('two', ['b']);
    await retitle('three', ['c']);
    await retitle('four', ['d']);
    const [reset, ...rest] = await take(eventsOf(await ask('/changes/events', { 'last-event-id': known })), 4);
    expect(reset![0]).toBe('reset');
    expect(rest.map(([, data]) => urlOf(JSON.parse(data) as LoggedRecord))).toEqual(['b', 'c', 'd']);
    await jobs.compact(crawl);
    expect((await logPlaces(crawl, known)).isKnown).toBe(false);
    expect((await logPlaces(crawl, rest[0]![2])).isKnown).toBe(true);
  });

  it('are for a limited number of clients, whose connections are kept by comments', async () => {
    const { crawl } = await site();
    const events = createChangeEvents(sourceOf(crawl), { onError: () => undefined, most: 1, comment: 5 });
    const written: string[] = [];
    const leaving: (() => void)[] = [];
    const comments = new Promise<void>((resolve) => {
      const response = {
        writableLength: 0,
        writeHead: () => response,
        write: (text: string) => {
          written.push(text);
          if (written.filter((each) => each === ':\n\n').length === 2) resolve();
          return true;
        },
        once: (_: string, gone: () => void) => void leaving.push(gone),
        end: () => undefined,
      };
      events
        .stream({ cursor: '00000000000000', isReset: false }, {}, new AbortController().signal)
        .stream(response as never);
    });
    const statusOfNext = (): number => {
      let status = 0;
      const response = {
        writeHead: (given: number) => void (status = given),
        write: () => true,
        once: () => undefined,
        end: () => undefined,
      };
      events
        .stream({ cursor: '00000000000000', isReset: false }, {}, new AbortController().signal)
        .stream(response as never);
      return status;
    };
    expect(statusOfNext()).toBe(503);
    await comments;
    expect(written[0]).toBe('retry: 5000\n\n');
    for (const gone of leaving) gone();
    expect(statusOfNext()).toBe(200);
  });
});

it.each(['/api/changes?since=0000000', '/changes?x=', '/changes.json?x=', '/changes/events?since=0000000'])(
  'reads for %s end with their clients, and one or two run at a time',
  async (path) => {
    const crawl = await testCrawl(undefined);
    onTestFinished(() => crawl.close());
    await writeChanges(crawl, ['a'], { at: START });
    let running = 0;
    let most = 0;
    // A read that finds nothing, and only ends by its signal.
    const endless: ChangesSource['read'] = (options, signal) => ({
      ...readChanges(crawl, options),
      async *[Symbol.asyncIterator]() {
        most = Math.max(most, ++running);
        if (!signal.aborted) await once(signal, 'abort');
        running--;
        signal.throwIfAborted();
        yield* [];
      },
    });
    const errors: unknown[] = [];
    const source = fakeSource({ changes: { ...sourceOf(crawl), read: endless } });
    const served = await servePages(source, { port: 0, onError: (error) => errors.push(error) });
    onTestFinished(() => served.close());
    const leave = new AbortController();
    const requests = Array.from({ length: 5 }, () =>
      fetch(new URL(`${path}&host=none.example`, served.url), { signal: leave.signal })
        .then((response) => response.text())
        .catch(() => undefined),
    );
    const expected = path.startsWith('/changes/events') ? 1 : 2;
    await until(() => running === expected);
    leave.abort();
    await Promise.all(requests);
    await until(() => running === 0);
    expect(most).toBe(expected);
    expect(errors).toEqual([]);
  },
);
