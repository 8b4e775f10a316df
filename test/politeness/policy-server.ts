import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { links } from '../support/web/fake-web.js';
import { SELF_SIGNED } from '../support/web/self-signed.js';
import type { AccessEntry } from './access-log.js';
import type { HostPlan, Refusal } from './host-policies.js';

/** A server on loopback that answers for many hosts, by the `Host` header. */
export interface PolicyServer {
  /** All requests so far, in the order in which their answers ended. */
  readonly log: readonly AccessEntry[];
  /** The clock of the log, in ms. */
  now(): number;
  /** Adds the port to a URL that has none. */
  urlOf(plan: string): string;
  /** Removes the port. */
  planOf(url: string): string;
  /** Called for each request, with the number of all requests so far. */
  onRequest: (count: number) => void;
  close(): Promise<void>;
}

type Answer = Pick<AccessEntry, 'status' | 'retryAfter' | 'crawlDelay'> & {
  readonly location?: string;
  readonly body: string;
};

/**
 * Serves the hosts over http and https. Any other path is 404.
 * @param address the address to listen on; `0.0.0.0` for hosts whose names are addresses of loopback
 */
export async function servePolicies(hosts: readonly HostPlan[], address = '127.0.0.1'): Promise<PolicyServer> {
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const refused = new Map<string, number>();
  const log: AccessEntry[] = [];
  let count = 0;
  // Like the system clock, which HTTP dates refer to, but it never goes back.
  const now = (): number => performance.timeOrigin + performance.now();
  const handle = (scheme: AccessEntry['scheme']) => (request: IncomingMessage, response: ServerResponse) => {
    void respond(scheme, request, response, now());
  };
  const servers = { http: createPlain(handle('http')), https: createSecure(SELF_SIGNED, handle('https')) };
  for (const server of Object.values(servers)) server.keepAliveTimeout = 60_000;
  const ports = { http: await listen(servers.http, address), https: await listen(servers.https, address) };
  const urlOf = (plan: string): string => {
    const url = new URL(plan);
    url.port = String(url.protocol === 'https:' ? ports.https : ports.http);
    return url.href;
  };

  async function respond(
    scheme: AccessEntry['scheme'],
    request: IncomingMessage,
    response: ServerResponse,
    arrived: number,
  ): Promise<void> {
    const host = request.headers.host?.replace(/:\d+$/, '') ?? '';
    const path = request.url ?? '';
    const plan = byName.get(host);
    const { body, location, ...answer } = plan ? answerOf(plan, scheme, path) : { status: 404, body: '' };
    const slowness = plan?.slowness ?? 0;
    const gone = new Promise<void>((resolve) => response.once('close', resolve));
    const pause = (): Promise<unknown> => Promise.race([sleep(slowness / 2), gone]);
    self.onRequest(++count);

    if (slowness > 0) await pause();
    const { status, retryAfter } = answer;
    response.writeHead(status, {
      'content-type': path === '/robots.txt' ? 'text/plain' : 'text/html',
      'content-length': Buffer.byteLength(body),
      ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      ...(location !== undefined && { location }),
    });
    const half = body.slice(0, body.length / 2);
    if (slowness > 0) {
      if (half) response.write(half);
      await pause();
    }
    const isCut = response.destroyed;
    log.push({ host, scheme, path, arrived, ended: now(), ...answer, ...(isCut && { cut: true }) });
    response.end(slowness > 0 ? body.slice(half.length) : body);
  }

  function answerOf(plan: HostPlan, scheme: string, path: string): Answer {
    const url = `${scheme}://${plan.name}${path}`;
    const page = plan.pages.get(url);
    const refusal = path === '/robots.txt' ? plan.robotsRefusal : page?.refusal;
    const times = refused.get(url) ?? 0;
    if (refusal && times < refusal.times) {
      refused.set(url, times + 1);
      return { status: refusal.status, ...retryAfterOf(refusal), body: 'not now' };
    }
    if (path === '/robots.txt' && plan.robotsAt !== undefined) {
      return { status: 301, location: urlOf(`${scheme}://${plan.robotsAt}/robots.txt`), body: '' };
    }
    if (path === '/robots.txt') return robotsOf(plan);
    if (!page) return { status: 404, body: 'nothing here' };
    if (page.redirect) return { status: page.redirect.status, location: urlOf(page.redirect.target), body: '' };
    return { status: 200, body: links(...page.links.map(urlOf)) };
  }

  /** HTTP dates have whole seconds; rounded up, so that the wait is not shorter than planned. */
  function retryAfterOf({ retryAfter }: Refusal): { readonly retryAfter?: string } {
    if (!retryAfter) return {};
    if ('text' in retryAfter) return { retryAfter: retryAfter.text };
    if ('seconds' in retryAfter) return { retryAfter: String(retryAfter.seconds) };
    return { retryAfter: new Date(Math.ceil(now() / 1000 + retryAfter.date) * 1000).toUTCString() };
  }

  const self: PolicyServer = {
    log,
    now,
    urlOf,
    planOf(url) {
      const plan = new URL(url);
      plan.port = '';
      return plan.href;
    },
    onRequest: () => {},
    async close() {
      await Promise.all(
        Object.values(servers).map((server) => {
          server.closeAllConnections();
          return new Promise((resolve) => server.close(resolve));
        }),
      );
    },
  };
  return self;
}

function robotsOf({ crawlDelay, hasPrivate }: HostPlan): Answer {
  const lines = ['User-agent: *', 'Disallow: /private'].slice(0, hasPrivate ? 2 : 1);
  if (crawlDelay !== undefined) lines.push(`Crawl-delay: ${crawlDelay}`);
  if (lines.length === 1) return { status: 404, body: '' };
  return { status: 200, ...(crawlDelay !== undefined && { crawlDelay }), body: `${lines.join('\n')}\n` };
}

async function listen(server: Server, address: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return (server.address() as AddressInfo).port;
}
