import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openContext, type ChangeTarget } from '../../../packages/webcrawl/internal.js';
import { freshFolder } from '../../support/files/temp-folder.js';
import { madeUrl, writeChanges } from '../../support/made-changes.js';
import { SECRET, hookServer } from '../../support/web/hook-server.js';
import { serveWeb } from '../../support/web/serve-web.js';
import { runLine, testIo } from '../test-io.js';

const folder = freshFolder();
const env = { WEBCRAWL_WATCH_SECRET: SECRET };
const webcrawl = (args: readonly string[], io = testIo({ env })) =>
  runLine(['--table', join(folder, 'table'), '--set', 'fetcher.serverDelay=0', ...args], io);

/** A table with two changes, and a receiver that answers with this status. */
async function begin(status = 204) {
  await using crawl = await openContext({ table: join(folder, 'table') });
  await writeChanges(crawl, ['a', 'b'], { at: Date.now() });
  const server = await hookServer((_, response) => void response.writeHead(status).end());
  onTestFinished(() => server.close());
  return { server, to: ['--to', server.url, '--allow-private', '--since', '1d', '--once'] };
}

describe('webcrawl watch', () => {
  test('sends the present changes, prints their number, and lists the target until it is removed', async () => {
    const { server, to } = await begin();
    const sent = await webcrawl(['watch', ...to]);
    expect(sent).toEqual({ code: 0, out: '', err: '2 messages delivered.\n' });
    expect(server.received.map(({ data }) => data['url'])).toEqual([madeUrl('a'), madeUrl('b')]);
    expect(server.wrong).toEqual([]);
    const listed = await webcrawl(['watch', '--list']);
    expect(listed.out).toMatch(
      new RegExp(`^${server.url}\n  delivered 2, waiting 0, given up 0\n  up to \\d{4}-.*Z\n$`),
    );
    const [target] = (await webcrawl(['watch', '--list', '--json'])).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ChangeTarget);
    expect(target).toMatchObject({ target: server.url, delivered: 2 });
    expect((await webcrawl(['watch', '--list', '--json'])).out).not.toContain(SECRET);
    expect((await webcrawl(['watch', '--to', server.url, '--remove'])).code).toBe(0);
    expect((await webcrawl(['watch', '--to', server.url, '--remove'])).code).toBe(1);
    expect((await webcrawl(['watch', '--list'])).code).toBe(1);
  });

  test('ends with 75 if changes are left, and with 1 if the target is gone', async () => {
    const { to } = await begin(500);
    const failed = await webcrawl(['watch', ...to]);
    expect(failed.code).toBe(75);
    expect(failed.err).toMatch(/failed \(http_500, again at .*\): msg_\S+ http:\/\/docs\.example\.com\/a\n/);
    expect(failed.err).toContain('0 messages delivered, 2 attempts failed, 2 waiting for a retry.');
    const { to: gone } = await begin(410);
    const ended = await webcrawl(['watch', ...gone]);
    expect([ended.code, ended.err]).toEqual([1, expect.stringContaining('returned 410')]);
  });

  test.each([
    [[], 'no --to with a URL, and no --list'],
    [['--to', 'https://hooks.example.com/'], 'no secret to sign with'],
    [['--to', 'https://hooks.example.com/', '--secret', 'short'], 'expected a secret of whsec_'],
    [['--to', 'http://127.0.0.1/', '--secret', SECRET], 'expected a URL with https'],
  ])('refuses %j', async (args, message) => {
    await begin();
    const { code, err } = await webcrawl(['watch', ...args], testIo());
    expect([code, err]).toEqual([64, expect.stringContaining(message)]);
  });
});

test('crawl --continuous waits until pages become due, and makes no index', async () => {
  const web = await serveWeb({ '/': { html: '<title>Home</title><p>Welcome.' } });
  onTestFinished(() => web.close());
  const io = testIo();
  const write = io.stderr.write.bind(io.stderr);
  io.stderr.write = (data) => {
    if (String(data).includes('Waiting until Ctrl-C.')) io.stop.abort();
    return write(data);
  };
  const { code, err } = await webcrawl(['crawl', `${web.origin}/`, '--continuous'], io);
  expect([code, err]).toEqual([130, expect.stringMatching(/All done: 1 page\. The next is due at .*Z\. Waiting/)]);
  const search = await webcrawl(['search', 'welcome']);
  expect([search.code, search.err]).toEqual([66, expect.stringContaining('NO_INDEX')]);
});
