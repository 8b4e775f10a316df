import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { exportWarc, jobs, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import {
  ARCHIVED,
  ARCHIVE_COUNTERS,
  archivedPage,
  filesOf,
  fillArchive,
  withTable,
} from '../../support/export/archive-table.js';
import { recordsOf } from '../../support/files/segment-records.js';

const nonZero = (counters: Readonly<Record<string, number>>): object => {
  return Object.fromEntries(Object.entries(counters).filter(([, n]) => n !== 0));
};

describe('export warc', () => {
  test('copies the records as they are stored, and makes those for which there is only a row', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      const { counters } = await exportWarc(crawl, { output });
      expect(counters).toMatchObject(nonZero(ARCHIVE_COUNTERS));

      const files = await filesOf(output);
      expect([...files.keys()]).toEqual(['index.cdxj', 'webcrawl-00000.warc.gz']);
      const records = recordsOf(files.get('webcrawl-00000.warc.gz')!);
      const stored = new Map<string, Buffer>();
      for (const segment of (await filesOf(join(folder, 'table/content'))).values()) {
        for (const { headers, block } of recordsOf(segment))
          stored.set(headers.get('warc-record-id')!, Buffer.from(block));
      }
      const [info, ...rest] = records;
      expect(info!.headers.get('warc-type')).toBe('warcinfo');
      expect(info!.headers.get('warc-date')).toBe(rest[0]!.headers.get('warc-date'));
      const types = rest.map(({ headers }) => `${headers.get('warc-type')} ${headers.get('warc-target-uri')}`);
      const copies = rest.filter(({ headers }) => stored.has(headers.get('warc-record-id')!));
      expect(copies.map(({ headers, block }) => stored.get(headers.get('warc-record-id')!)!.equals(block))).toEqual(
        copies.map(() => true),
      );
      expect(copies).toHaveLength(8);
      expect(types.filter((type) => type.startsWith('revisit'))).toEqual(['revisit https://sub.example.com/same']);
      expect(types).toContain('resource http://example.com:8080/logo.png');
      const cut = rest.find(({ headers }) => headers.has('warc-truncated'))!;
      expect(cut.headers.get('warc-truncated')).toBe('length');

      const same = rest.find(({ headers }) => headers.get('warc-target-uri') === 'https://sub.example.com/same')!;
      const revisit = rest.find(({ headers }) => headers.get('warc-type') === 'revisit')!;
      expect(revisit.headers.get('warc-refers-to')).toBe(same.headers.get('warc-record-id'));
      expect(revisit.headers.get('warc-payload-digest')).toBe(same.headers.get('warc-payload-digest'));
      expect(revisit.headers.get('warc-date')).toBe('2026-01-06T09:00:00.000Z');

      const home = rest.find(
        ({ headers }) => headers.get('warc-type') === 'metadata' && headers.get('warc-target-uri') === ARCHIVED[0],
      )!;
      expect(Buffer.from(home.block).toString()).toBe(
        ['title: Home X: y', 'language: en', ...ARCHIVED.map((url) => `outlink: ${url}`), ''].join('\r\n'),
      );
    });
  });

  test('the index names every answer, in byte order', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      await exportWarc(crawl, { output, fileBytes: 1500 });
      const files = await filesOf(output);
      const lines = files.get('index.cdxj')!.toString('latin1').trimEnd().split('\n');
      expect(lines).toEqual([...lines].sort());
      expect(lines).toHaveLength(11);
      expect([...files.keys()].length).toBeGreaterThan(3);
      // A file exceeds the limit only if it has a single page.
      const pagesIn = (name: string): number => lines.filter((line) => line.includes(`"${name}"`)).length;
      const larger = [...files].filter(([name, { length }]) => name.endsWith('.warc.gz') && length > 1500);
      expect(larger.map(([name]) => pagesIn(name)).filter((pages) => pages > 1)).toEqual([]);
      for (const line of lines) {
        const fields = JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>;
        const member = files
          .get(fields.filename!)!
          .subarray(Number(fields.offset), Number(fields.offset) + Number(fields.length));
        expect(gunzipSync(member).toString('latin1')).toContain(`WARC-Target-URI: ${fields.url}\r\n`);
      }
      expect(lines.map((line) => line.slice(0, line.indexOf('{')))).toEqual([
        'com,example)/ 20260105090000 ',
        'com,example)/%e6%97%a5%e6%9c%ac 20260105090000 ',
        'com,example)/a?a=1&b=2 20260105090000 ',
        'com,example)/a?a=1&b=2 20260105090009 ',
        'com,example,sub)/cut 20260105090000 ',
        'com,example,sub)/same 20260105090000 ',
        'com,example,sub)/same 20260106090000 ',
        'com,example,sub)/script.js?x 20260105090000 ',
        'com,example:8080)/logo.png 20260105090000 ',
        'org,example)/gone 20260105090004 ',
        'org,example)/moved 20260105090004 ',
      ]);
    });
  });

  test('an error and a redirect are answers without a body, beside the earlier body', async () => {
    await withTable(async (crawl, folder) => {
      const set = { protocolStatus: { code: 'not_found', http: 404 }, status: 'gone', fetchedAt: 2e12 } as const;
      await fillArchive(crawl);
      await crawl.tables.pages.write([archivedPage('http://example.org/gone', 'once', { set })]);
      const output = join(folder, 'out');
      const { counters } = await exportWarc(crawl, { output, host: 'example.org' });
      expect(counters).toMatchObject({ pages: 2, answers: 2, responses: 1, no_body: 3, lost_body: 1 });
      const files = await filesOf(output);
      const blocks = recordsOf(files.get('webcrawl-00000.warc.gz')!).slice(1);
      expect(blocks.map(({ headers, block }) => [headers.get('warc-date'), Buffer.from(block).toString()])).toEqual([
        ['2026-01-05T09:00:00.000Z', expect.stringMatching(/^HTTP\/1.1 200 OK[^]*\r\n\r\nonce$/)],
        ['2033-05-18T03:33:20.000Z', 'HTTP/1.1 404 Not Found\r\nX-Crawler-Head: rebuilt\r\nContent-Length: 0\r\n\r\n'],
        [
          '2026-01-05T09:00:04.000Z',
          'HTTP/1.1 301 Moved Permanently\r\nLocation: http://www.example.com/\r\nX-Crawler-Head: rebuilt\r\n' +
            'Content-Length: 0\r\n\r\n',
        ],
      ]);
      const lines = files.get('index.cdxj')!.toString().trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line.slice(line.indexOf('{'))) as { status: string }).status)).toEqual([
        '200',
        '404',
        '301',
      ]);
    });
  });

  test('an error that is retried is an answer too', async () => {
    await withTable(async (crawl, folder) => {
      const protocolStatus = { code: 'http_error', http: 500 } as const;
      const set = { protocolStatus, status: 'unfetched', fetchedAt: 2e12 } as const;
      await crawl.tables.pages.write([{ key: rowKeyOf('http://example.org/ill'), set }]);
      const { counters } = await exportWarc(crawl, { output: join(folder, 'out') });
      expect(counters).toMatchObject({ pages: 1, answers: 1 });
    });
  });

  test('after a compaction the compressed records are copied as they are', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      // Half of it is not needed.
      await crawl.tables.pages.write([archivedPage('http://a.example/', 'x'.repeat(99_999))]);
      await jobs.compact(crawl);
      const before = await exportWarc(crawl, { output: join(folder, 'one') });
      await exportWarc(crawl, { output: join(folder, 'two') });
      expect(await filesOf(join(folder, 'two'))).toEqual(await filesOf(join(folder, 'one')));
      expect(before.counters.pages).toBe(10);
    });
  });

  test('an empty selection gives an empty index and a manifest', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      const { counters } = await exportWarc(crawl, { output, host: 'nowhere.example' });
      expect(counters.pages ?? 0).toBe(0);
      expect([...(await filesOf(output))].map(([name, bytes]) => [name, bytes.length])).toEqual([['index.cdxj', 0]]);
    });
  });

  test('an existing target stays, unless it is forced', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      await exportWarc(crawl, { output });
      const before = await filesOf(output);
      await expect(exportWarc(crawl, { output })).rejects.toMatchObject({ code: 'BAD_OUTPUT' });
      expect(await filesOf(output)).toEqual(before);
      await exportWarc(crawl, { output, force: true, prefix: 'https://sub.example.com/cut' });
      expect((await readFile(join(output, 'index.cdxj'), 'latin1')).trimEnd().split('\n')).toHaveLength(1);
    });
  });

  test('stopped and called again, it ends in the same bytes', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const pages = Array.from({ length: 300 }, (_, n) => archivedPage(`http://many.example/${n}`, `page ${n}`));
      await crawl.tables.pages.write(pages);
      await exportWarc(crawl, { output: join(folder, 'whole'), fileBytes: 20_000 });
      const output = join(folder, 'parts');
      for (let run = 0; run < 3; run++) {
        const controller = new AbortController();
        let calls = 0;
        // The first call is before the first row.
        const stop = { signal: controller.signal, onProgress: () => void (++calls > 1 && controller.abort()) };
        expect(await exportWarc(crawl, { output, fileBytes: 20_000, ...stop })).toMatchObject({ interrupted: true });
      }
      await exportWarc(crawl, { output, fileBytes: 20_000 });
      expect(await filesOf(output)).toEqual(await filesOf(join(folder, 'whole')));
    });
  });
});
