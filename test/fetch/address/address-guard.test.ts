import { createServer, type Server } from 'node:https';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Settings } from '../../../config/schema.js';
import { PrivateAddressError } from '../../../packages/fetch/address/address-guard.js';
import { guardedConnector } from '../../../packages/fetch/address/guarded-connector.js';
import type { HttpExtras, HttpProtocol, Lookup } from '../../../packages/fetch/index.js';
import { listen, openProtocol, serve as serveRaw } from '../../support/web/http-kit.js';
import { answer, type RawHandler, type RawServer } from '../../support/web/raw-server.js';
import { SELF_SIGNED } from '../../support/web/self-signed.js';
import { words } from '../../support/files/words.js';

type Mode = Settings['http']['privateAddresses'];

const protocol = (extras: HttpExtras = {}, privateAddresses?: Mode): HttpProtocol =>
  openProtocol(privateAddresses && { privateAddresses }, extras);
const serve = (handler: RawHandler = () => answer('200 OK')): Promise<RawServer> => serveRaw(handler);

const names =
  (table: Readonly<Record<string, readonly string[]>>): Lookup =>
  (host) => {
    const found = table[host];
    return found ? Promise.resolve(found) : Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' }));
  };
const never: Lookup = () => Promise.reject(new Error('nothing should be looked up'));
const refused = { kind: 'gone', code: 'private_address' };
const reached = { kind: 'content', code: 'success' };

describe('a host that is an address', () => {
  it.each(words`
    127.0.0.1 0x7f.1 2130706433 0177.0.0.1 127.0.0.1. 0 [::1] [::] [::ffff:127.0.0.1] [::127.0.0.1]
  `)('%s is refused', async (host) => {
    const server = await serve();
    const outcome = await protocol({ lookup: never }).fetch({ url: `http://${host}:${server.port}/` });
    expect(outcome).toMatchObject(refused);
    expect(server.requests).toHaveLength(0);
  });

  it.each(words`
    169.254.169.254 10.0.0.1 100.64.0.1 [fd00:ec2::254] [fe80::1] [64:ff9b::a00:1] [2002:a00:1::]
  `)('%s is refused over both schemes, with the cause', async (host) => {
    const http = protocol({ lookup: never });
    for (const scheme of ['http', 'https']) {
      const outcome = await http.fetch({ url: `${scheme}://${host}/latest/meta-data/` });
      expect(outcome).toMatchObject(refused);
      expect(outcome.message).toMatch(/^[\da-f.:]+, in [\da-f.:/]+ \(.+\); see http.privateAddresses$/);
    }
  });
});

describe('a name', () => {
  it('is requested at another address if its first one cannot be reached', async () => {
    const server = await serve();
    const lookup = names({ 'both.test': ['::1', '127.0.0.1'] });
    const outcome = await protocol({ lookup }, 'allow').fetch({ url: `http://both.test:${server.port}/` });
    expect(outcome).toMatchObject(reached);
  });

  it.each([
    ['one private address', ['127.0.0.1']],
    ['a public one before a private one', ['8.8.8.8', '127.0.0.1']],
    ['a private one before a public one', ['127.0.0.1', '8.8.8.8']],
    ['a private one of the other family', ['8.8.8.8', '::1']],
    ['a private one that is embedded', ['::ffff:127.0.0.1']],
    ['one with a zone', ['fe80::1%1']],
    ['one that answers on all interfaces', ['0.0.0.0']],
  ])('with %s is refused', async (_what, addresses) => {
    const server = await serve();
    const http = protocol({ lookup: names({ 'site.example': addresses }) });
    const outcome = await http.fetch({ url: `http://site.example:${server.port}/` });
    expect(outcome).toMatchObject(refused);
    expect(outcome.message).toContain('site.example is at ');
    expect(server.requests).toHaveLength(0);
  });

  it('is looked up for every connection, and the checked address is the one connected to', async () => {
    const server = await serve((_request, socket) => void socket.end(answer('200 OK', { Connection: 'close' })));
    const answers = [['127.0.0.1'], ['8.8.8.8', '127.0.0.1'], ['127.0.0.1']];
    let asked = 0;
    const lookup: Lookup = () => Promise.resolve(answers[asked++] ?? []);
    const url = `http://rebind.example:${server.port}/`;
    const http = protocol({ lookup });
    expect(await http.fetch({ url, allowPrivate: true })).toMatchObject(reached);
    expect(await http.fetch({ url })).toMatchObject(refused);
    expect(await http.fetch({ url })).toMatchObject(refused);
    expect(asked).toBe(3);
    expect(server.requests).toHaveLength(1);
  });

  it('is refused when its address changes from public to private', async () => {
    const server = await serve();
    const answers = [['8.8.8.8'], ['127.0.0.1'], ['8.8.4.4', '::ffff:127.0.0.1'], ['8.8.4.4', '1.1.1.1']];
    const lookup: Lookup = () => Promise.resolve(answers.shift() ?? []);
    const connector = guardedConnector({ lookup, reach: 'public' });
    // A socket bound to loopback cannot leave this machine: it fails at once, and the error names its target.
    const connect = (): Promise<unknown> =>
      new Promise((resolve) => {
        const target = { hostname: 'rebind.example', protocol: 'http:', port: String(server.port) };
        connector({ ...target, localAddress: '127.0.0.1' }, (...[error]) => resolve(error));
      });
    expect(await connect()).toMatchObject({ address: '8.8.8.8' });
    expect(await connect()).toBeInstanceOf(PrivateAddressError);
    expect(await connect()).toBeInstanceOf(PrivateAddressError);
    expect(await connect()).toMatchObject({ address: '8.8.4.4' });
    expect(answers).toEqual([]);
    expect(server.openConnections()).toBe(0);
  });

  it('is not found without an address, or with a value that is no address', async () => {
    for (const addresses of [[], ['localhost'], ['']]) {
      const http = protocol({ lookup: () => Promise.resolve(addresses) });
      expect(await http.fetch({ url: 'http://site.example/' })).toMatchObject({ kind: 'retry', code: 'dns_failed' });
    }
  });

  it("localhost is refused by the result of the system's lookup", async () => {
    const server = await serve();
    expect(await protocol().fetch({ url: `http://localhost:${server.port}/` })).toMatchObject(refused);
    expect(server.requests).toHaveLength(0);
  });
});

describe('http.privateAddresses', () => {
  const cases: [Mode, boolean | undefined, typeof refused][] = [
    ['seeds', true, reached],
    ['seeds', false, refused],
    ['seeds', undefined, refused],
    ['allow', undefined, reached],
    ['allow', false, reached],
    ['deny', true, refused],
    ['deny', undefined, refused],
  ];
  it.each(cases)('%s, and the operator named the host: %s', async (mode, allowPrivate, expected) => {
    const server = await serve();
    const http = protocol({ lookup: names({ 'site.example': ['127.0.0.1'] }) }, mode);
    for (const host of ['site.example', '127.0.0.1']) {
      const url = `http://${host}:${server.port}/`;
      expect(await http.fetch({ url, ...(allowPrivate !== undefined && { allowPrivate }) })).toMatchObject(expected);
    }
    expect(server.requests).toHaveLength(expected === reached ? 2 : 0);
  });

  it('seeds: the name of a seed leads to no link-local address and no cloud platform; a literal address does', async () => {
    const server = await serve();
    const metadata = ['169.254.169.254', '::ffff:169.254.169.254', '100.100.100.200', 'fe80::1', '168.63.129.16'];
    for (const address of metadata) {
      const http = protocol({ lookup: names({ 'site.example': [address] }) });
      expect(await http.fetch({ url: 'http://site.example/', allowPrivate: true }), address).toMatchObject(refused);
    }
    // A link-local address beside the right one, as names in a local network have it, is skipped.
    const mixed = protocol({ lookup: names({ 'site.example': ['fe80::1', '127.0.0.1'] }) });
    const url = `http://site.example:${server.port}/`;
    expect(await mixed.fetch({ url, allowPrivate: true })).toMatchObject(reached);
    expect(await mixed.fetch({ url })).toMatchObject(refused);
    // A socket bound to loopback cannot leave this machine: it fails at once, and the error names its target.
    const connector = guardedConnector({ lookup: never, reach: 'named' });
    const error = await new Promise((resolve) => {
      const target = { hostname: '169.254.169.254', protocol: 'http:', port: '80', localAddress: '127.0.0.1' };
      connector(target, (...[thrown]) => resolve(thrown));
    });
    expect(error).toMatchObject({ address: '169.254.169.254' });
  });

  it('does not reuse a connection of a request with more rights', async () => {
    const server = await serve();
    const http = protocol({ lookup: names({ 'site.example': ['127.0.0.1'] }) });
    const url = `http://site.example:${server.port}/`;
    for (let i = 0; i < 3; i++) {
      expect(await http.fetch({ url, allowPrivate: true })).toMatchObject(reached);
      expect(await http.fetch({ url })).toMatchObject(refused);
    }
    expect(server.requests).toHaveLength(3);
  });
});

it('treats a redirect to another scheme as one without a target, and does not follow it', async () => {
  const targets = ['file:///etc/passwd', 'ftp://a.org/', 'javascript:alert(1)', 'data:text/html,x', 'gopher://a.org/'];
  const server = await serve(({ path }) => answer('302 Found', { Location: targets[Number(path.slice(1))] ?? '' }));
  const http = protocol({}, 'allow');
  for (const [i, url] of targets.entries()) {
    expect(await http.fetch({ url: `${server.origin}/${i}` })).toMatchObject({ kind: 'redirect', target: null });
    await expect(http.fetch({ url })).rejects.toMatchObject({ code: 'BAD_URL' });
  }
});

describe('a certificate', () => {
  function serveTls(): Promise<number> {
    const server: Server = createServer(SELF_SIGNED, (_request, response) => void response.end('x'));
    onTestFinished(() => server.closeAllConnections());
    return listen(server);
  }
  const lookup = names({ 'site.test': ['127.0.0.1'], 'other.test': ['127.0.0.1'] });

  it('is verified, whatever the environment variables say', async () => {
    const url = `https://site.test:${await serveTls()}/`;
    const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    try {
      for (const value of [undefined, '0']) {
        if (value === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
        else process.env.NODE_TLS_REJECT_UNAUTHORIZED = value;
        expect(await protocol({ lookup }, 'allow').fetch({ url })).toMatchObject({ kind: 'retry', code: 'tls_failed' });
      }
    } finally {
      if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
      else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before;
    }
  });

  it('is valid for its names if its authority is known', async () => {
    const port = await serveTls();
    const http = protocol({ lookup, connect: { ca: SELF_SIGNED.cert } }, 'allow');
    expect(await http.fetch({ url: `https://site.test:${port}/` })).toMatchObject(reached);
    for (const host of ['other.test', '127.0.0.1']) {
      expect(await http.fetch({ url: `https://${host}:${port}/` })).toMatchObject({
        kind: 'retry',
        code: 'tls_failed',
      });
    }
  });
});
