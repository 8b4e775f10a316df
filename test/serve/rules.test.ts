import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CrawlError } from '../../packages/errors/index.js';
import { servePages, type RulesSource, type RunningServer, type ServeOptions } from '../../packages/serve/index.js';
import { aRule, fakeRules, PREFIXES } from '../support/web/fake-rules.js';
import { fakeSource } from '../support/web/fake-source.js';
import { words } from '../support/files/words.js';

async function serve(options: ServeOptions & { rules?: Partial<RulesSource> } = {}) {
  const { rules: change, ...where } = options;
  const fake = fakeRules();
  const served = await servePages(fakeSource({ rules: { ...fake, ...change } }), { port: 0, ...where });
  onTestFinished(() => served.close());
  return { ...served, calls: fake.calls };
}

const FORM = 'application/x-www-form-urlencoded';

interface Sent {
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** Loads a page as a browser does: with its token, and the matching cookie. */
async function load({ url }: Pick<RunningServer, 'url'>, path = 'rules', headers: Record<string, string> = {}) {
  const answer = await fetch(url + path, { headers });
  const text = await answer.text();
  return {
    text,
    answer,
    cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '',
    token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '',
  };
}

/** Sends raw bytes, because `fetch` sets `Origin` and `Host` itself. */
async function post(
  { url, port }: Pick<RunningServer, 'url' | 'port'>,
  { path = '/rules/change', headers, fields, body }: Sent,
) {
  const given = Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined));
  const content = body ?? new URLSearchParams(given as Record<string, string>).toString();
  const all = {
    host: `localhost:${port}`,
    origin: url.replace(/\/$/, ''),
    'content-type': FORM,
    'content-length': String(Buffer.byteLength(content)),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${content}`);
  await once(socket, 'close');
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: Number(/^HTTP\/1.1 (\d+)/.exec(text)?.[1]),
    location: /^location: (.*)\r$/m.exec(text)?.[1],
    text,
    token: /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '',
  };
}

describe('a form of the rules', () => {
  it('disables and enables a rule, and redirects to GET', async () => {
    const served = await serve();
    const { cookie, token, answer } = await load(served);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^webcrawl-\w+=[0-9a-f]{32}; Path=\/rules; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('same-origin');
    const done = await post(served, { headers: { cookie }, fields: { token, id: 'r3', state: 'disabled' } });
    expect([done.status, done.location]).toEqual([303, '/rules?changed=r3#r3']);
    const after = await load(served, 'rules?changed=r3', { cookie });
    expect(after.text).toContain('r3 is disabled now');
    expect([after.token, after.cookie]).toEqual([token, '']);
    expect((await post(served, { headers: { cookie }, fields: { token, id: 'r3', state: 'active' } })).status).toBe(
      303,
    );
    expect(served.calls).toEqual([
      ['r3', 'disabled', false],
      ['r3', 'active', false],
    ]);
  });

  it('that would reject seeds warns and changes nothing; it changes the rules after a confirmation', async () => {
    const served = await serve();
    const { cookie, token } = await load(served);
    const asked = await post(served, { headers: { cookie }, fields: { token, id: 'r1', state: 'active' } });
    expect(asked.status).toBe(409);
    expect(asked.text).toContain('To enable it would reject 2 seeds (');
    expect(asked.text).toContain('http://a.example/tag/2</bdi>), and 5 of 12 pages in all');
    expect(asked.text).toContain('Nothing was changed.');
    expect(served.calls).toEqual([]);
    const fields = { token: asked.token, id: 'r1', state: 'active', yes: 'yes' };
    expect((await post(served, { headers: { cookie }, fields })).status).toBe(303);
    expect(served.calls).toEqual([['r1', 'active', true]]);
  });

  it.each<[string, Sent, number]>([
    ['without a token', { fields: { token: undefined } }, 403],
    ['with a token that is none', { fields: { token: 'x' } }, 403],
    ['with a token of the same length', { fields: { token: 'A'.repeat(43) } }, 403],
    ['without the cookie of the token', { headers: { cookie: undefined } }, 403],
    [
      'with the cookie of another browser',
      { headers: { cookie: 'webcrawl-00000000=00000000000000000000000000000000' } },
      403,
    ],
    ['from another origin', { headers: { origin: 'http://evil.example' } }, 403],
    ['from another port of this machine', { headers: { origin: 'http://localhost:1' } }, 403],
    ['from a page without an origin', { headers: { origin: 'null' } }, 403],
    ['that does not say its origin', { headers: { origin: undefined } }, 403],
    ['from another site, as the browser says', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
    ['for the name of somebody else', { headers: { host: 'evil.example', origin: 'http://evil.example' } }, 421],
    ['through a proxy', { headers: { 'x-forwarded-for': '203.0.113.9' } }, 403],
    ['through a proxy that speaks TLS', { headers: { 'x-forwarded-proto': 'https' } }, 403],
    [
      'under an address that is not that of this machine alone',
      { headers: { host: '192.168.0.7', origin: 'http://192.168.0.7' } },
      403,
    ],
    ['of another type', { headers: { 'content-type': 'text/plain' } }, 415],
    ['as JSON', { headers: { 'content-type': 'application/json' }, body: '{"id":"r3"}' }, 415],
    ['of no type', { headers: { 'content-type': undefined } }, 415],
    ['that is too large', { body: `token=${'x'.repeat(17_000)}` }, 413],
    ['for a rule that is not there', { fields: { id: 'r99' } }, 404],
    ['for a state that is none', { fields: { state: 'gone' } }, 400],
    ['for where no form is taken', { path: '/rules' }, 405],
    ['for where nothing is', { path: '/rules/none' }, 404],
  ])('%s is refused, and changes nothing', async (_, { fields, headers, ...sent }, status) => {
    const served = await serve();
    const { cookie, token } = await load(served);
    const answer = await post(served, {
      headers: { cookie, ...headers },
      fields: { token, id: 'r3', state: 'disabled', ...fields },
      ...sent,
    });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('access-control');
    expect(served.calls).toEqual([]);
  });

  it('from before a restart of the server is refused', async () => {
    const first = await serve();
    const { cookie, token } = await load(first);
    const second = await serve();
    const fields = { token, id: 'r3', state: 'disabled' };
    const answer = await post(second, { headers: { cookie }, fields });
    expect([answer.status, second.calls]).toEqual([403, []]);
    expect(answer.text).toContain('earlier start of this server');
    const secret = cookie.split('=')[1]!;
    const name = (await load(second)).cookie.split('=')[0]!;
    expect((await post(second, { headers: { cookie: `${name}=${secret}` }, fields })).status).toBe(403);
  });

  it('without an end delays no one, and changes nothing', async () => {
    const served = await serve();
    const socket = connect(served.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    socket.write(
      `POST /rules/change HTTP/1.1\r\nHost: localhost\r\ncontent-type: ${FORM}\r\ncontent-length: 100\r\n\r\nid=`,
    );
    expect((await fetch(`${served.url}rules`)).status).toBe(200);
    socket.destroy();
    expect(served.calls).toEqual([]);
  });

  it('reports failures of the table by the meaning of their code', async () => {
    const setState = () => Promise.reject(new CrawlError('STORE_FULL', 'no space left at /secret/place'));
    const errors: unknown[] = [];
    const served = await serve({ rules: { setState }, onError: (error) => errors.push(error) });
    const { cookie, token } = await load(served);
    const answer = await post(served, { headers: { cookie }, fields: { token, id: 'r3', state: 'disabled' } });
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain('/secret/place');
    expect(errors).toHaveLength(1);
  });
});

describe('who may change rules', () => {
  const nobody = { changes: 'none' } as const;
  it.each<[string, ServeOptions, Record<string, string>, string | undefined]>([
    ['on this machine', {}, {}, undefined],
    ['by its address', {}, { host: '127.0.0.1:1' }, undefined],
    ['nobody, as the operator said', nobody, {}, 'does not allow changes'],
    ['behind a proxy by a name', { names: ['search.example.com'] }, {}, 'behind a proxy'],
    ['behind a proxy that says so', {}, { 'x-forwarded-for': '203.0.113.9' }, 'behind a proxy'],
    ['on a server for others too', { address: '0.0.0.0' }, {}, 'listens on other addresses too'],
    ['all, as the operator said', { address: '0.0.0.0', changes: 'all' }, {}, undefined],
    [
      'all behind a proxy',
      { names: ['search.example.com'], changes: 'all' },
      { host: 'search.example.com' },
      undefined,
    ],
  ])('%s', async (_, options, headers, words) => {
    const served = await serve(options);
    for (const path of ['rules', 'rules/proposals']) {
      const socket = connect(served.port, '127.0.0.1');
      const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers });
      socket.write(`GET /${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      await once(socket, 'close');
      const text = Buffer.concat(chunks).toString('utf8');
      expect(text).toMatch(/^HTTP\/1.1 200/);
      expect(text.includes('<button type="submit"')).toBe(words === undefined);
      expect(text.includes('set-cookie')).toBe(words === undefined);
      if (words !== undefined) expect(text).toContain(words);
    }
    const { cookie, token } = await load(served);
    const sent = await post(served, {
      headers: { cookie, ...headers, ...(headers['host'] && { origin: `http://${headers['host']}` }) },
      fields: { token, id: 'r3', state: 'disabled' },
    });
    expect([sent.status, served.calls.length]).toEqual(words === undefined ? [303, 1] : [403, 0]);
  });
});

describe('proposals', () => {
  it('are applied by a form, and the page shows the result', async () => {
    const served = await serve();
    const { cookie, token, text } = await load(served, 'rules/proposals');
    expect(text).toContain('/forum/');
    const apply = (number: string) =>
      post(served, { path: '/rules/apply', headers: { cookie }, fields: { token, list: 'list-1', number } });
    expect(await apply('1')).toMatchObject({ status: 303, location: '/rules/proposals' });
    const seen = async (by: Record<string, string> = { cookie }) => (await load(served, 'rules/proposals', by)).text;
    expect(await seen()).toContain('<a href="/rules#r6">rule r6</a> now');
    // Other users do not see it.
    expect(await seen({})).not.toContain('rule r6');
    await apply('2');
    expect(await seen()).toContain('proposal 2 no longer holds: it cuts a seed');
    expect((await apply('x')).status).toBe(400);
    expect((await post(served, { path: '/rules/apply', fields: { list: 'list-1', number: '1' } })).status).toBe(403);
    expect(served.calls).toEqual([
      ['apply', 'list-1', 1],
      ['apply', 'list-1', 2],
    ]);
  });
});

describe('a proposal that is being checked', () => {
  it('makes others wait, and is aborted and waited for when the server is closed', async () => {
    let [begin, end] = [(_: AbortSignal): void => {}, (_: readonly string[]): void => {}];
    const began = new Promise<AbortSignal>((resolve) => (begin = resolve));
    const ended = new Promise<readonly string[]>((resolve) => (end = resolve));
    const applyProposal: RulesSource['applyProposal'] = (_list, _number, signal) => {
      begin(signal);
      return ended;
    };
    const served = await serve({ rules: { applyProposal } });
    const { cookie, token } = await load(served, 'rules/proposals');
    const sent = { path: '/rules/apply', headers: { cookie }, fields: { token, list: 'list-1', number: '1' } };
    const pressed = post(served, sent);
    const signal = await began;
    expect((await post(served, sent)).status).toBe(503);
    const other = await load(served, 'rules/proposals');
    expect(other.text).toContain('Another proposal is being checked');
    expect(other.text).not.toContain('<button type="submit"');
    expect((await load(served, 'rules/proposals', { cookie })).text).toContain('Proposal 1 is being checked');
    let isClosed = false;
    const closed = served.close().then(() => (isClosed = true));
    expect(signal.aborted).toBe(true);
    // Pending requests have two seconds to end.
    await pressed;
    expect(isClosed).toBe(false);
    end([]);
    await closed;
  });
});

describe('the pages and the API of the rules', () => {
  const PATHS = words`
    rules rules/report rules/prefixes rules/proposals api/rules api/rules/report api/prefixes api/proposals
  `;

  it('change nothing by GET, whatever is requested', async () => {
    const served = await serve();
    const { cookie, token } = await load(served);
    const query = new URLSearchParams({ token, id: 'r3', state: 'disabled', yes: 'yes', list: 'list-1', number: '1' });
    for (const path of [...PATHS, 'rules/change', 'rules/apply']) {
      const answer = await fetch(`${served.url}${path}?${query.toString()}`, { headers: { cookie } });
      expect(answer.status, path).toBe(PATHS.includes(path) ? 200 : 405);
      if (answer.status === 405) expect(answer.headers.get('allow')).toBe('POST');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
      const head = await fetch(`${served.url}${path}`, { method: 'HEAD' });
      expect(head.status, path).toBe(answer.status);
    }
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect((await fetch(`${served.url}rules/change`, { method, headers: { cookie } })).status).toBe(405);
    }
    expect(served.calls).toEqual([]);
  });

  it('return rules with their counts and histories as JSON, and the rest unchanged', async () => {
    const { url } = await serve();
    const json = async (path: string) => (await fetch(url + path)).json() as Promise<Record<string, unknown>>;
    const { rules, ...rest } = await json('api/rules');
    expect(rest).toMatchObject({ version: 'v1', page: 1, pages: 1, total: 5 });
    expect((rules as unknown[])[0]).toMatchObject({ id: 'r1', counts: { links: 56_789 } });
    expect((rules as { history: unknown[] }[])[0]!.history[1]).toMatchObject({ refused: 31, links: 1_456 });
    expect(await json('api/rules/report')).toMatchObject({ stale: 7, all: { relevantFetched: 812 } });
    expect(await json('api/prefixes?min=5')).toMatchObject({ more: false, prefixes: PREFIXES });
    expect(await json('api/prefixes?domain=none.example')).toEqual({ statistics: null, prefixes: [], more: false });
    expect(await json('api/proposals')).toMatchObject({ id: 'list-1', proposals: [{ number: 1 }, { number: 2 }] });
    for (const path of ['api/rules?page=2', 'api/rules?page=x', 'api/prefixes?min=-1', 'rules?page=0']) {
      expect((await fetch(url + path)).status, path).toBe(400);
    }
  });

  it('show many rules in pages', async () => {
    const many = Array.from({ length: 120 }, (_, i) => aRule({ id: `r${i + 1}` }));
    const list = () => Promise.resolve({ version: 'v', rules: many, contradictions: [], broken: {} });
    const asked: number[] = [];
    const histories = (ids: readonly string[]) => {
      asked.push(ids.length);
      return Promise.resolve(new Map());
    };
    const { url } = await serve({ rules: { list, histories } });
    const last = await (await fetch(`${url}rules?page=3`)).text();
    expect(last.match(/class="card rule"/g)).toHaveLength(20);
    expect(last).toContain('Page 3 of 3');
    expect(last).toContain('are not counted yet');
    expect((await fetch(`${url}rules?page=4`)).status).toBe(400);
    // Only the counts of the shown rules are read.
    expect(asked).toEqual([20]);
  });

  it('show text of crawled pages as text', async () => {
    const evil = '"><script>alert(1)</script>\u202e\'<img src=x onerror=alert(2)>';
    const rule = aRule({
      note: evil,
      pattern: { prefix: `/${evil}` },
      scope: `host:${evil}` as 'host:x',
      origin: 'generated',
      evidence: {
        [evil]: evil,
        url: `javascript:alert(3)//${evil}`,
        examples: [`https://a.example/${evil}`, evil, { a: evil }],
      },
    });
    const proposals = () =>
      Promise.resolve({
        id: evil,
        createdAt: 1,
        rulesVersion: '',
        proposals: [
          {
            number: 1,
            rule: rule as never,
            reason: evil,
            evidence: rule.evidence as never,
            rows: 1,
            fetched: 1,
            domain: evil,
          },
        ],
      });
    const prefixes = () =>
      Promise.resolve({
        statistics: undefined,
        more: true,
        prefixes: PREFIXES.map((node) => ({ ...node, host: evil, origin: evil, prefix: `/${evil}/`, parameter: evil })),
      });
    const list = () =>
      Promise.resolve({
        version: '',
        rules: [rule],
        contradictions: [{ decides: evil, idle: evil }],
        broken: { r1: evil },
      });
    const served = await serve({ rules: { list, proposals, prefixes } });
    const query = new URLSearchParams({ domain: evil, changed: 'r1' }).toString();
    for (const path of ['rules', 'rules/prefixes', 'rules/proposals']) {
      const text = await (await fetch(`${served.url}${path}?${query}`)).text();
      expect(text, path).toContain('&lt;script&gt;alert(1)');
      expect(text, path).not.toMatch(/<script|<img|href="javascript|\u202e/);
    }
    expect((await fetch(`${served.url}api/rules`)).headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('without rules, statistics and proposals state how to make them', async () => {
    const none = { version: '', rules: [], contradictions: [], broken: {} };
    const { url } = await serve({
      rules: { list: () => Promise.resolve(none), proposals: () => Promise.resolve(undefined) },
    });
    const text = async (path: string) => (await fetch(url + path)).text();
    expect(await text('rules')).toContain('webcrawl rules add --help');
    expect(await text('rules/proposals')).toContain('webcrawl rules propose');
    expect(await text('rules/prefixes?domain=none.example')).toContain('webcrawl prefixes');
  });
});
