import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditFinding, AuditSummary } from '../../../packages/webcrawl/internal.js';
import { freshFolder } from '../../support/files/temp-folder.js';
import { Sink, runLine, testIo } from '../test-io.js';

const folder = freshFolder();
const webcrawl = (...args: readonly string[]) => runLine(['--table', join(folder, 'table'), ...args]);

const page = (title: string, body: string): string =>
  `<title>${title}</title><meta name="description" content="${title}"><h1>${title}</h1>${body}`;
const PAGES: Readonly<Record<string, string>> = {
  '/': page('Home', '<a href="/a">a</a> <a href="/lost">lost</a> <img src="/lost.png" alt="">'),
  '/a': page('A', '<a href="/">home</a> <a href="/lost">lost too</a>'),
};

let server: Server;
let site: string;
const asked: string[] = [];

beforeEach(async () => {
  asked.length = 0;
  server = createServer(({ url = '' }, answer) => {
    asked.push(url);
    answer.writeHead(url in PAGES ? 200 : 404, { 'content-type': 'text/html' }).end(PAGES[url] ?? 'none');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** The rules and URLs of findings, one JSON object on each line. */
function findingsOf(out: string): string[] {
  const { findings } = JSON.parse(out) as AuditSummary & { findings: AuditFinding[] };
  return findings.map(({ rule, url }) => `${rule} ${new URL(url).pathname}`).sort();
}

describe('webcrawl audit', () => {
  test('crawls its seeds, requests parts of pages, fails by --fail-on; then audits the table without requests', async () => {
    const first = await webcrawl('audit', site, '--delay', '0', '--fail-on', 'broken', '--json', '-q');
    expect(first.code).toBe(1);
    const expected = ['link-broken /lost', 'resource-broken /lost.png'];
    expect(findingsOf(first.out)).toEqual(expected);
    expect(asked).toContain('/lost.png');
    asked.length = 0;
    const second = await webcrawl('audit', '--json', '-q');
    expect(second.code).toBe(0);
    expect(findingsOf(second.out)).toEqual(expected);
    expect(asked).toEqual([]);
  });

  test('shows its progress while it waits to request a page again', async () => {
    server.removeAllListeners('request').on('request', ({ url }, answer) => {
      answer
        .writeHead({ '/': 200, '/unsteady': 500 }[url!] ?? 404, { 'content-type': 'text/html' })
        .end('<a href="/unsteady">u</a>');
    });
    const io = testIo();
    const stderr = new Sink({ isTTY: true });
    stderr.write = (data) => {
      if (/audit: 0 done/.test(String(data))) io.stop.abort();
      return true;
    };
    expect(
      await runLine(['--table', join(folder, 'table'), 'audit', site, '--delay', '0'], { ...io, stderr }),
    ).toMatchObject({
      code: 130,
    });
  });

  test('leaves out ignored findings, until audit unignore shows them again', async () => {
    await webcrawl('audit', site, '--delay', '0', '-q');
    const pattern = `${site}lost*`;
    expect(await webcrawl('audit', 'ignore', 'link-brokn', pattern)).toMatchObject({ code: 64 });
    expect(await webcrawl('audit', 'ignore', 'broken', pattern, '--why', 'known')).toMatchObject({ code: 0 });
    expect(await webcrawl('audit', '--fail-on', 'broken', '-q')).toMatchObject({ code: 0 });
    expect((await webcrawl('audit', 'ignored')).out).toMatch(/broken +http.*lost\* +known/);
    expect(await webcrawl('audit', 'unignore', 'broken', pattern)).toMatchObject({ code: 0 });
    expect(await webcrawl('audit', 'unignore', 'broken', pattern)).toMatchObject({ code: 1 });
    expect(await webcrawl('audit', '--fail-on', 'broken', '-q')).toMatchObject({ code: 1 });
  });

  test('compares with a mark', async () => {
    await webcrawl('audit', site, '--delay', '0', '-q');
    await webcrawl('mark', 'release');
    expect(await webcrawl('audit', '--since', 'release', '--fail-on', 'new', '-q')).toMatchObject({ code: 0 });
    const unknown = await webcrawl('audit', '--since', 'relase', '--fail-on', 'new');
    expect(unknown.code).toBe(64);
    expect(unknown.err).toContain('release');
  });

  test('lists its rules, and fails if no page was fetched', async () => {
    const { out } = await webcrawl('audit', '--rules');
    expect(out).toMatch(/^link-broken +broken +error +/);
    const rules = (await webcrawl('audit', '--rules', '--json')).out.trim().split('\n');
    expect(JSON.parse(rules[0]!)).toMatchObject({ id: 'link-broken', help: expect.any(String) as string });
    await webcrawl('inject', site);
    const empty = await webcrawl('audit');
    expect(empty.code).toBe(1);
    expect(empty.err).toContain('nothing was audited: no page was fetched');
  });
});
