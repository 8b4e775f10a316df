import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireCommand, startCommand, type Ended } from '../support/command-process.js';
import { onePage, shown } from '../support/parsing/pdf.js';

// Uses every optional part that a development install has: a process reads PDFs, threads parse and index pages.

let folder: string;
let server: Server;
let url: string;

beforeAll(async () => {
  requireCommand();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-verbs-'));
  const about = { trailer: '/Info 6 0 R', more: ['<</Title(A paper)>>'] };
  const pdf = onePage(shown('words of a paper'), about);
  await writeFile(join(folder, 'x.pdf'), pdf);
  // More than the mebibyte from which on a thread parses.
  const page = `<title>Home</title><a href="/x.pdf">x</a><p>${'words of a page '.repeat(60_000)}`;
  server = createServer(({ url: path }, response) => {
    if (path === '/x.pdf') response.writeHead(200, { 'content-type': 'application/pdf' }).end(pdf);
    else if (path === '/') response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const run = (table: string, ...args: readonly string[]): Promise<Ended> =>
  startCommand(folder, args, { table: `level:${join(folder, table)}` }).ended;

/** Runs a verb, which must end with status 0 and a report in JSON. */
async function reportOf(table: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await run(table, ...args, '--json');
  expect({ args, code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out.trim().split('\n').at(-1)!) as Record<string, unknown>;
}

describe('each verb that reads pages ends with its report and status 0', () => {
  test('crawl, and the verbs that use its table', async () => {
    expect(await reportOf('crawled', 'crawl', url)).toMatchObject({ counters: { fetched: 2, parsed: 2 } });
    expect(await reportOf('crawled', 'readdb', '--stats')).toMatchObject({ total: 2, lostBodies: 0 });
    expect(await reportOf('crawled', 'readdb', '--url', `${url}x.pdf`)).toMatchObject({ title: 'A paper' });
    expect(await reportOf('crawled', 'index')).toMatchObject({ counters: { added: 2 } });
    expect(await reportOf('crawled', 'search', 'paper')).toMatchObject({ total: 1 });
    const output = ['--output', join(folder, 'pages.jsonl'), '--fields', 'title,markdown'];
    expect(await reportOf('crawled', 'export', 'pages', ...output)).toMatchObject({ counters: { rows: 2 } });
    for (const verb of ['rank', 'dedup', 'repair', 'compact']) await reportOf('crawled', verb);
  });

  test.each([['fetch and parse in one'], ['fetch and parse by themselves']])('%s', async (how) => {
    const table = how.replaceAll(' ', '-');
    const isOne = how.endsWith('one');
    await reportOf(table, 'inject', `${url}x.pdf`);
    const { batchId } = await reportOf(table, 'generate');
    const fetched = await reportOf(table, 'fetch', String(batchId), ...(isOne ? ['--parse'] : []));
    const parsed = isOne ? fetched : await reportOf(table, 'parse', String(batchId));
    expect(parsed).toMatchObject({ counters: { parsed: 1 } });
    expect(await reportOf(table, 'updatedb', String(batchId))).toMatchObject({ counters: { fetched: 1 } });
  });

  test('check parse of a file and of a URL', async () => {
    const title = { kind: 'success', title: 'A paper' };
    expect(await reportOf('none', 'check', 'parse', join(folder, 'x.pdf'), '--base', url)).toMatchObject(title);
    expect(await reportOf('none', 'check', 'parse', `${url}x.pdf`)).toMatchObject(title);
  });
});
