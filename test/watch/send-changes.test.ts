import { describe, expect, it, onTestFinished } from 'vitest';
import {
  changeTargets,
  removeChangeTarget,
  sendChanges,
  type SendChangesOptions,
  type SendEvent,
} from '../../packages/webcrawl/internal.js';
import { until } from '../support/events.js';
import { START, testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { madeUrl, writeChanges } from '../support/made-changes.js';
import { SECRET, hookServer, type HookServer, type Received } from '../support/web/hook-server.js';
import type { ServerResponse } from 'node:http';

const HOUR = 3_600_000;
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

async function begin(
  answer?: (message: Received, response: ServerResponse) => void,
): Promise<{ crawl: TestCrawl; server: HookServer; send: Send; events: SendEvent[] }> {
  const crawl = await testCrawl(undefined);
  onTestFinished(() => crawl.close());
  const server = await hookServer(answer, { skew: 1 });
  onTestFinished(() => server.close());
  const events: SendEvent[] = [];
  const send: Send = (options = {}) =>
    sendChanges(crawl, {
      to: server.url,
      secrets: [SECRET],
      allowPrivate: true,
      once: true,
      since: 0,
      onAttempt: (event) => void events.push(event),
      ...options,
    });
  return { crawl, server, send, events };
}
type Send = (options?: Partial<SendChangesOptions>) => ReturnType<typeof sendChanges>;

const status =
  (code: number, headers = {}) =>
  (_: Received, response: ServerResponse) =>
    void response.writeHead(code, headers).end();
const pathsOf = ({ received }: HookServer): string[] =>
  received.map(({ data }) => String(data['url']).replace(madeUrl(''), ''));
const targetOf = async (crawl: TestCrawl) => (await changeTargets(crawl))[0]!;

describe('changes are sent', () => {
  it('once each, in order, signed, and later only new ones', async () => {
    const { crawl, server, send } = await begin();
    await writeChanges(crawl, NAMES, { at: START });
    expect(await send()).toEqual({ delivered: 6, failed: 0, dead: 0, waiting: 0, more: false, ended: false });
    expect(pathsOf(server)).toEqual(NAMES);
    expect(server.wrong).toEqual([]);
    expect(server.received[0]).toMatchObject({ type: 'page.changed', data: { kinds: ['content'], at: START } });
    expect((await send()).delivered).toBe(0);
    await writeChanges(crawl, ['b'], { at: START + 1 });
    expect((await send()).delivered).toBe(1);
    expect(pathsOf(server)).toEqual([...NAMES, 'b']);
  });

  it('to a new target from now on, and only of its kinds; the cursor moves past others', async () => {
    const { crawl, server } = await begin();
    await writeChanges(crawl, ['a'], { at: START });
    const options = { to: server.url, secrets: [SECRET], allowPrivate: true, once: true, kinds: ['title'] } as const;
    await sendChanges(crawl, options);
    await writeChanges(crawl, ['b'], { at: START + 1 });
    await writeChanges(crawl, ['c'], { at: START + 2, kinds: ['content', 'title'] });
    await writeChanges(crawl, ['d'], { at: START + 3 });
    await sendChanges(crawl, { to: server.url, secrets: [SECRET], allowPrivate: true, once: true });
    expect(pathsOf(server)).toEqual(['c']);
    expect(Number.parseInt((await targetOf(crawl)).cursor, 16)).toBe(START + 4);
  });

  it('again after a failure, while others continue, with the same id', async () => {
    let isBroken = true;
    const { crawl, server, send, events } = await begin((message, response) =>
      status(isBroken && message.data['url'] === madeUrl('b') ? 500 : 200)(message, response),
    );
    await writeChanges(crawl, NAMES, { at: START });
    expect(await send()).toMatchObject({ delivered: 5, failed: 1, waiting: 1, more: true });
    expect(events.find(({ is }) => is === 'failed')).toMatchObject({ of: madeUrl('b'), why: 'http_500', attempts: 1 });
    expect(await send()).toMatchObject({ delivered: 0, failed: 0, waiting: 1 });
    crawl.setTime(START + 6_000);
    isBroken = false;
    expect(await send()).toMatchObject({ delivered: 1, waiting: 0, more: false });
    const ids = server.received.filter(({ data }) => data['url'] === madeUrl('b')).map(({ id }) => id);
    expect(ids).toEqual([ids[0], ids[0]]);
  });

  it('for three days, and then they are given up, counted and shown', async () => {
    const { crawl, server, send, events } = await begin(status(302, { location: '/elsewhere' }));
    await writeChanges(crawl, ['a'], { at: START });
    let hours = 0;
    for (; hours < 100 && (await send()).more; hours++) crawl.setTime(START + (hours + 1) * HOUR);
    expect(hours).toBeGreaterThan(72);
    expect(server.received).toHaveLength(10);
    expect(events.at(-1)).toMatchObject({ is: 'dead', why: 'http_302', attempts: 10 });
    expect(await targetOf(crawl)).toMatchObject({
      dead: 1,
      waiting: [],
      deadLetters: [{ attempts: 10, why: 'http_302', firstAttemptAt: START }],
    });
  });

  it('no more to a target that answers 410, until it is removed', async () => {
    let code = 410;
    const { crawl, server, send } = await begin((message, response) => status(code)(message, response));
    await writeChanges(crawl, ['a', 'b'], { at: START });
    expect(await send()).toMatchObject({ delivered: 0, ended: true });
    code = 200;
    expect(await send()).toMatchObject({ delivered: 0, ended: true });
    expect(server.received).toHaveLength(1);
    expect(await removeChangeTarget(crawl, server.url)).toBe(true);
    expect(await removeChangeTarget(crawl, server.url)).toBe(false);
    expect(await send()).toMatchObject({ delivered: 2, ended: false });
  });

  it('more slowly if the target asks for it: nothing before its time', async () => {
    let code = 429;
    const { crawl, server, send } = await begin((message, response) =>
      status(code, { 'retry-after': '60' })(message, response),
    );
    await writeChanges(crawl, NAMES, { at: START });
    expect(await send()).toMatchObject({ failed: 1, waiting: 1, more: true });
    code = 200;
    crawl.setTime(START + 59_000);
    expect(await send()).toMatchObject({ delivered: 0, more: true });
    expect(server.received).toHaveLength(1);
    crawl.setTime(START + 61_000);
    expect(await send()).toMatchObject({ delivered: 6, more: false });
  });

  it('after a server was away, and none is lost', async () => {
    const { crawl, server, send } = await begin();
    await writeChanges(crawl, NAMES, { at: START });
    await server.close();
    expect(await send()).toMatchObject({ delivered: 0, failed: 1, waiting: 1, more: true });
    const again = await hookServer(undefined, { port: Number(new URL(server.url).port), skew: 1 });
    onTestFinished(() => again.close());
    crawl.setTime(START + HOUR);
    expect(await send()).toMatchObject({ delivered: 6, more: false });
    expect(new Set(pathsOf(again))).toEqual(new Set(NAMES));
  });

  it('until the signal aborts, as they are found; a message in flight is sent again', async () => {
    const stop = new AbortController();
    const { crawl, server, send } = await begin((message, response) => {
      if (message.data['url'] !== madeUrl('c')) return status(200)(message, response);
      // The request hangs.
      stop.abort();
    });
    await writeChanges(crawl, NAMES, { at: START });
    expect(await send({ once: false, signal: stop.signal })).toMatchObject({ delivered: 2, failed: 0 });
    expect(pathsOf(server)).toEqual(['a', 'b', 'c']);
    expect((await targetOf(crawl)).cursor).toContain('/b');
  });

  it('without waiting for the end of answers that never end', { timeout: 8_000 }, async () => {
    const { crawl, send } = await begin((_, response) => void response.writeHead(200).write('thanks'));
    await writeChanges(crawl, ['a'], { at: START });
    expect(await send()).toMatchObject({ delivered: 1, failed: 0 });
  });

  it('with a message that some were removed before they could be sent', async () => {
    const { crawl, server, send } = await begin();
    await writeChanges(crawl, ['a'], { at: START });
    expect((await send()).delivered).toBe(1);
    await writeChanges(crawl, ['b'], { at: START + 1 });
    await writeChanges(crawl, ['c'], { at: START + 10 });
    await crawl.tables.changes.removeBefore(START + 5);
    expect((await send()).delivered).toBe(2);
    expect(server.received.slice(1).map(({ type }) => type)).toEqual(['changes.lost', 'page.changed']);
    expect(server.received[1]!.data).toEqual({ since: START + 1, until: START + 2 });
  });

  it('without such a message if all removed ones had been sent', async () => {
    const { crawl, server, send } = await begin();
    await writeChanges(crawl, ['a'], { at: START });
    expect((await send()).delivered).toBe(1);
    crawl.setTime(START + 100 * 24 * HOUR);
    await crawl.tables.changes.removeBefore(START + 10 * 24 * HOUR);
    expect((await send()).delivered).toBe(0);
    await writeChanges(crawl, ['b'], { at: START + 100 * 24 * HOUR });
    expect((await send()).delivered).toBe(1);
    expect(server.received.map(({ type }) => type)).toEqual(['page.changed', 'page.changed']);
  });

  it('or given up and counted, if they were removed before they could be sent again', async () => {
    const { crawl, send, events } = await begin(status(500));
    await writeChanges(crawl, ['a'], { at: START });
    expect(await send()).toMatchObject({ failed: 1, waiting: 1 });
    await crawl.tables.changes.removeBefore(START + 1);
    crawl.setTime(START + HOUR);
    expect(await send()).toMatchObject({ dead: 1, waiting: 0, more: false });
    expect(events.at(-1)).toMatchObject({ is: 'dead', why: 'removed', id: events[0]!.id, attempts: 1 });
    expect(await targetOf(crawl)).toMatchObject({
      dead: 1,
      waiting: [],
      deadLetters: [{ why: 'removed', attempts: 1 }],
    });
  });

  it('only of the kinds and the host of the target: other ones are rejected', async () => {
    const { crawl, send } = await begin();
    await send({ kinds: ['title', 'content'], host: 'a.com' });
    await send({ kinds: ['content', 'title'], host: 'a.com' });
    await expect(send({ kinds: ['content'] })).rejects.toThrow('expected the kinds that the target has, content,title');
    await expect(send({ host: 'b.com' })).rejects.toThrow('expected the host that the target has, a.com, found b.com');
    const to = 'https://hooks.example.com/';
    await expect(send({ to, host: 'https://a.com/' })).rejects.toMatchObject({ code: 'BAD_URL' });
    expect(await changeTargets(crawl)).toHaveLength(1);
  });

  it('only by the later of two senders', async () => {
    let other: ReturnType<Send> | undefined;
    const { crawl, send } = await begin((message, response) => {
      const answer = (): void => status(200)(message, response);
      if (other) return answer();
      // While the first one waits for its answer, the second one sends.
      other = send();
      void other.then(answer);
    });
    await writeChanges(crawl, ['a', 'b'], { at: START });
    await expect(send()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect((await other!).delivered).toBe(2);
  });

  it.each([
    ['the target was removed', (crawl: TestCrawl, url: string) => removeChangeTarget(crawl, url), 'it was removed'],
    ['another sender has begun', (_: TestCrawl, __: string, send: Send) => send(), 'found another one'],
  ])('no more after %s, even if none were waiting', async (_, end, message) => {
    const { crawl, server, send } = await begin();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const idle = send({ once: false, signal: stop.signal });
    await until(async () => (await changeTargets(crawl)).length === 1);
    const ended = expect(idle).rejects.toThrow(message);
    await end(crawl, server.url, send);
    await ended;
    await writeChanges(crawl, ['a'], { at: START });
    expect(server.received).toEqual([]);
  });
});

describe('a target is rejected', () => {
  it.each([
    ['http://hooks.example.com/', false],
    ['ftp://hooks.example.com/', true],
    ['https://a:b@hooks.example.com/', true],
    ['hooks.example.com', true],
    ['https://hooks.example.com:6667/', true],
    ['HTTP://127.0.0.1:25', true],
  ])('%s', async (to, allowPrivate) => {
    const crawl = await testCrawl(undefined);
    onTestFinished(() => crawl.close());
    await expect(sendChanges(crawl, { to, secrets: [SECRET], allowPrivate })).rejects.toMatchObject({ code: 'USAGE' });
    expect(await changeTargets(crawl)).toEqual([]);
  });

  it('without a secret, and at an address that is not public', async () => {
    const crawl = await testCrawl(undefined, { lookup: () => Promise.resolve(['10.0.0.1']) });
    onTestFinished(() => crawl.close());
    await writeChanges(crawl, ['a'], { at: START });
    const to = 'https://hooks.example.com/';
    await expect(sendChanges(crawl, { to, secrets: [] })).rejects.toMatchObject({ code: 'USAGE' });
    for (const each of [to, 'https://127.0.0.1/', 'https://[::1]/']) {
      const sent = sendChanges(crawl, { to: each, secrets: [SECRET], once: true, since: 0 });
      await expect(sent).rejects.toMatchObject({
        code: 'USAGE',
        hint: expect.stringContaining('--allow-private') as string,
      });
    }
    // Nothing is lost by this.
    expect((await changeTargets(crawl)).map(({ waiting, dead }) => [waiting.length, dead])).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });
});
