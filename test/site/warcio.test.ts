/**
 * Reads the segments of a crawl with warcio, the library of archive tools: all records, their digests, and a revisit. Uses the
 * Python in WEBCRAWL_PYTHON, or makes an environment with pip; skipped if neither is available.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobs, openContext } from '../../packages/webcrawl/internal.js';

const run = promisify(execFile);
const MINUTE = 60_000;
const READ = `
import json, sys
from warcio.archiveiterator import ArchiveIterator
for path in sys.argv[1:]:
    with open(path, 'rb') as stream:
        for record in ArchiveIterator(stream, check_digests='raise'):
            head = record.http_headers
            print(json.dumps([record.rec_type, record.rec_headers.get_header('WARC-Target-URI'),
                head and head.get_statuscode(), head and head.get_header('X-Crawler-Content-Encoding'),
                record.content_stream().read().decode('latin1')]))
`;
const PAGE = '<title>t</title><p>' + 'text '.repeat(50_000);

let work: string;
let python: string | undefined;
let server: Server;
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'webcrawl-warcio-'));
  python = await pythonWithWarcio();
  server = createServer((request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end();
    if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip', ETag: '"1"' });
    response.end(gzipSync(PAGE));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}, 5 * MINUTE);
afterAll(async () => {
  server.close();
  await rm(work, { recursive: true, force: true });
});

async function pythonWithWarcio(): Promise<string | undefined> {
  const given = process.env['WEBCRAWL_PYTHON'];
  if (given !== undefined) return given;
  try {
    const folder = join(work, 'python');
    await run('python3', ['-m', 'venv', folder]);
    await run(join(folder, 'bin/pip'), ['install', '-q', 'warcio']);
    return join(folder, 'bin/python');
  } catch {
    return undefined;
  }
}

it(
  'warcio reads every segment, before and after compact',
  async (context) => {
    if (python === undefined) return context.skip();
    const { port } = server.address() as { port: number };
    const table = join(work, 'table');
    const url = `http://127.0.0.1:${port}/`;
    const crawl = await openContext({ table, settings: { 'fetcher.serverDelay': 0 } });
    const read = async (): Promise<unknown[]> => {
      const files = (await readdir(join(table, 'content'))).filter((name) => name.endsWith('.warc.gz')).sort();
      const paths = files.map((name) => join(table, 'content', name));
      const { stdout } = await run(python!, ['-c', READ, ...paths], { maxBuffer: 2 ** 26 });
      return stdout
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
        .filter((record) => (record as string[])[0] !== 'warcinfo');
    };
    const response = ['response', url, '200', 'gzip', PAGE];
    const metadata = ['metadata', url, null, null, expect.stringContaining('text text') as string];
    try {
      await jobs.crawl(crawl, { seeds: [url] });
      expect(await read()).toEqual([response, metadata]);
      await jobs.crawl(crawl, { seeds: [url], refetch: true });
      expect(await read()).toEqual([response, metadata, ['revisit', url, '304', null, '']]);
      await jobs.compact(crawl);
      expect(await read()).toEqual([response, metadata]);
    } finally {
      await crawl.close();
    }
  },
  2 * MINUTE,
);
