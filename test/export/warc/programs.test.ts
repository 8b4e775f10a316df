import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { surt } from '../../../packages/export/public.js';
import { exportWacz, exportWarc, jobs } from '../../../packages/webcrawl/internal.js';
import { fillArchive, withTable } from '../../support/export/archive-table.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { PYTHON_PACKAGES, hasPython, python } from '../programs/python.js';
import { words } from '../../support/files/words.js';

const MINUTE = 60_000;
/** Small files, so that a small table has several. */
const fileBytes = 1500;

function run(code: string, ...args: readonly string[]): string {
  const { status, out, errors } = python(['-c', code, ...args]);
  if (status !== 0) throw new Error(`Python ended with ${status}: ${errors}`);
  return out;
}

async function warcsIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.warc.gz')).map((name) => join(folder, name));
}

describe('archives are read by independent programs', () => {
  test.skipIf(!hasPython('warcio'))('warcio: every record, with its digests', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      await exportWarc(crawl, { output, fileBytes });
      const read = `
import json, sys
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    with open(path, 'rb') as stream:
        for record in ArchiveIterator(stream, check_digests='raise'):
            print(json.dumps([record.rec_type, record.rec_headers.get_header('WARC-Target-URI'),
                len(record.content_stream().read()), record.digest_checker.passed]))
`;
      const records = run(read, ...(await warcsIn(output)))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as [string, string | null, number, boolean | null]);
      const types = records.map(([type]) => type).sort();
      const [infos, others] = [
        types.filter((type) => type === 'warcinfo'),
        types.filter((type) => type !== 'warcinfo'),
      ];
      expect(infos.length).toBe((await warcsIn(output)).length);
      expect(others).toEqual([
        ...Array<string>(3).fill('metadata'),
        'resource',
        ...Array<string>(9).fill('response'),
        'revisit',
      ]);
      expect(records.filter(([type, , , passed]) => type === 'response' && passed !== true)).toEqual([]);
      const check = 'from warcio.cli import main; import sys; main(["check", *sys.argv[1:]])';
      expect(run(check, ...(await warcsIn(output)))).toBe('');
    });
  });

  test.skipIf(!hasPython('cdxj_indexer'))('cdxj-indexer: the same lines', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'out');
      await exportWarc(crawl, { output, fileBytes });
      const index = 'from cdxj_indexer.main import main; import sys; main(["--sort", *sys.argv[1:]])';
      expect(run(index, ...(await warcsIn(output)))).toBe(await readFile(join(output, 'index.cdxj'), 'utf8'));
    });
  });

  test.skipIf(!hasPython('cdxj_indexer') || !hasPython('warcio'))(
    'warcio and cdxj-indexer: the segments of a table, before and after compact',
    async () => {
      await withTable(async (crawl, folder) => {
        await fillArchive(crawl);
        const index = async (): Promise<{ readonly texts: unknown[]; readonly urls: unknown[] }> => {
          const segments = await warcsIn(join(folder, 'table', 'content'));
          expect(run('from warcio.cli import main; import sys; main(["check", *sys.argv[1:]])', ...segments)).toBe('');
          const code =
            'from cdxj_indexer.main import main; import sys; main(["--records", "all", "--sort", *sys.argv[1:]])';
          const entries = run(code, ...segments)
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>);
          const texts = entries.filter(({ mime }) => mime === 'application/x-webcrawl-cells');
          return {
            texts: texts.map(({ url, digest, length }) => [url, digest, length]),
            urls: entries.map(({ url, digest }) => [url, digest]).filter(([url]) => url !== 'http://example.org/lost'),
          };
        };
        const before = await index();
        expect(before.texts).toHaveLength(2);
        await jobs.compact(crawl);
        // The lengths are equal, because texts stay uncompressed.
        expect(await index()).toEqual(before);
      });
    },
  );

  test.skipIf(!hasPython('surt'))('surt: the same keys of generated URLs', () => {
    const urls = madeUrls(1000);
    const keys = run('import sys, surt\nfor url in sys.argv[1].split(): print(surt.surt(url))', urls.join(' '));
    expect(urls.map(surt)).toEqual(keys.trimEnd().split('\n'));
  });

  test.skipIf(!hasPython('wacz'))('py-wacz: valid', async () => {
    await withTable(async (crawl, folder) => {
      await fillArchive(crawl);
      const output = join(folder, 'crawl.wacz');
      await exportWacz(crawl, { output, fileBytes });
      const validate = 'from wacz.main import main; import sys; sys.exit(main(["validate", "-f", sys.argv[1]]))';
      expect(run(validate, output)).toContain('the passed WACZ is valid');
    });
  });

  test.skipIf(!hasPython('pywb'))(
    'pywb: replays pages with the index',
    async () => {
      await withTable(async (crawl, folder) => {
        await fillArchive(crawl);
        const output = join(folder, 'out');
        await exportWarc(crawl, { output, fileBytes });
        await using server = await pywb(join(folder, 'pywb'), output);
        const get = async (path: string): Promise<{ status: number; type: string | null; body: string }> => {
          const answer = await fetch(`${server.url}/crawl/${path}`, { redirect: 'manual' });
          return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
        };
        const home = await get('20260105090000id_/http://www.example.com/');
        expect(home).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
        expect(home.body).toBe(`<title>Home</title>${'<p>text '.repeat(2000)}`);
        expect((await get('20260105090000id_/http://www.example.com/A/?b=2&a=1')).body).toBe('<title>Q</title>');
        expect((await get('20260105090009id_/http://www.example.com/A/?b=2&a=1')).body).toBe('second');
        expect((await get('2026mp_/http://www.example.com/%E6%97%A5%E6%9C%AC/')).body).toContain(
          '<title>日本</title>日本',
        );
        // An unchanged page is shown as it was.
        expect(await get('20260106090000id_/https://sub.example.com/same')).toMatchObject({
          status: 200,
          body: 'unchanged',
        });
        // An old link works: it leads to the redirect target of the site; a page that is gone is gone.
        const moved = await fetch(`${server.url}/crawl/2026mp_/http://example.org/moved`, { redirect: 'manual' });
        expect([moved.status, moved.headers.get('location')]).toEqual([
          301,
          expect.stringMatching(/\/http:\/\/www\.example\.com\/$/),
        ]);
        expect((await get('2026mp_/http://example.org/moved')).status).toBe(301);
        const gone = await fetch(`${server.url}/crawl/2026id_/http://example.org/gone`);
        expect([
          gone.status,
          gone.headers.get('x-archive-orig-x-crawler-head') ?? gone.headers.get('x-crawler-head'),
        ]).toEqual([404, 'rebuilt']);
        expect((await get('2026id_/http://example.org/lost')).status).toBe(404);
      });
    },
    3 * MINUTE,
  );
});

/** A pywb server for an archive, configured in a folder. */
async function pywb(folder: string, archive: string): Promise<AsyncDisposable & { readonly url: string }> {
  await mkdir(folder);
  const collection = `    index_paths: ${join(archive, 'index.cdxj')}\n    archive_paths: ${archive}/\n`;
  await writeFile(join(folder, 'config.yaml'), `collections:\n  crawl:\n${collection}`);
  const port = await freePort();
  const code = `from pywb.apps.cli import wayback; wayback(['-b', '127.0.0.1', '-p', '${port}'])`;
  const child = spawn('python3', ['-c', code], {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: PYTHON_PACKAGES, PYTHONDONTWRITEBYTECODE: '1' },
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (log += data.toString()));
  const ended = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  await answers(url, child, () => log);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Asks until the server answers, because it does not report that it listens. */
async function answers(url: string, child: ChildProcess, log: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`pywb ended: ${log()}`);
    const isUp = await fetch(url).then(
      async (answer) => (await answer.text()) !== '',
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Normalised URLs, made of parts that the key treats differently. */
function madeUrls(count: number): string[] {
  const random = randomNumbers(5);
  const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)]!;
  const hosts = words`example.com www.example.com WWW2.Example.com www2x.example.com 127.0.0.1 [::1] bücher.de`;
  const session = '0123456789abcdef0123456789ABCDEF';
  const parts = [
    ...['a', 'B', '/', '//', '.', '..', '%2e', '%2F', '%3F', '%25', '%2541', '%', 'é', '中', '+', ';', '=', '&', '%00'],
    ...words`(S(abcdefghijklmnopqrstuvwx))/ (abcdefghijklmnopqrstuvwx)/ x.aspx cfid=1&cftoken=2`,
    ...words`| [ { " \ ~ ^ %C3%A9 %E9 ! $ '`,
    ...[`jsessionid=${session}`, `sid=${session}`, `phpsessid=${session}`, '`'],
  ];
  const some = (most: number): string =>
    Array.from({ length: Math.floor(random() * most) }, () => pick(parts)).join('');
  return Array.from({ length: count }, () => {
    const query = random() < 0.6 ? `?${some(6)}` : '';
    return new URL(
      `${pick(['http', 'https'])}://${pick(hosts)}${pick(['', ':80', ':443', ':8080'])}/${some(6)}${query}`,
    ).href;
  });
}
