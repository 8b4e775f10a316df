import { randomNumbers } from '../support/web/fake-web.js';

/** How the server refuses a path before it answers: how many times, with which status and `Retry-After`. */
export interface Refusal {
  readonly times: number;
  readonly status: 429 | 503;
  /** Seconds; `date` is the time from the answer, sent as an HTTP date; `text` is sent as it is. */
  readonly retryAfter?: { readonly seconds: number } | { readonly date: number } | { readonly text: string };
}

/** The answer of one URL. Links and targets have no port: http and https of a host have one port each. */
export interface PagePlan {
  readonly links: readonly string[];
  readonly redirect?: { readonly status: number; readonly target: string };
  readonly refusal?: Refusal;
}

/** One host of the server. */
export interface HostPlan {
  readonly name: string;
  /** The Crawl-delay in robots.txt of both schemes, in seconds. */
  readonly crawlDelay?: number;
  /** The host has a page `/private`, which robots.txt denies. */
  readonly hasPrivate: boolean;
  readonly robotsRefusal?: Refusal;
  /** The host to whose robots.txt this one redirects, with the same scheme. */
  readonly robotsAt?: string;
  /** The time of every answer in ms: half of it before the head, half within the body. */
  readonly slowness: number;
  /** By URL without port. */
  readonly pages: Map<string, PagePlan>;
}

/** Kinds of hosts that do more than serve pages: each kind occurs. */
const TROUBLES = [
  'seconds',
  'long',
  'date',
  'date',
  'backoff',
  'words',
  'robots',
  'robots-seconds',
  'none',
  'none',
] as const;

/** The kinds of trouble that may occur. */
export interface Troubles {
  /** Hosts answer 429 and 503. */
  readonly refusals: boolean;
  /** The robots.txt of some hosts redirects to that of others. */
  readonly robotsRedirects: boolean;
}

/** The shape of the hosts; what is absent is random. */
export interface HostShape {
  /** The name of a host, by its number. Default: `h<n>.test`. */
  readonly nameOf?: (i: number) => string;
  /** Minimum and maximum number of pages of a host, without the targets of redirects. Default: 3 to 6. */
  readonly pages?: readonly [number, number];
  /** The number of links of each page to its children. Default: 2. */
  readonly children?: number;
  /** Some pages are on https. Default: true. */
  readonly secure?: boolean;
  /**
   * The Crawl-delays in robots.txt, in seconds, with equal probability. Default: none for half of the hosts, else 0.3, 1 or
   * 1.3.
   */
  readonly crawlDelays?: readonly (number | undefined)[];
}

/**
 * Makes random hosts whose pages can all be reached from their roots: a tree of links within each host, links between hosts,
 * and redirects within a host and to others, whose targets have no other inlinks.
 */
export function drawHosts(
  seed: number,
  count: number,
  { refusals, robotsRedirects }: Troubles,
  {
    nameOf = (i) => `h${i}.test`,
    pages: [least, most] = [3, 6],
    children: fanOut = 2,
    secure = true,
    crawlDelays = [undefined, undefined, undefined, 0.3, 1, 1.3],
  }: HostShape = {},
): HostPlan[] {
  const random = randomNumbers(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const names = Array.from({ length: count }, (_, i) => nameOf(i));

  const hosts = names.map((name, i): HostPlan => {
    const crawlDelay = pick(crawlDelays);
    const isSecure = below(5) === 0 && secure;
    const trouble = refusals ? TROUBLES[i % TROUBLES.length]! : 'none';
    const size = least + below(most - least + 1);
    const urls = Array.from({ length: size }, (_, n) => {
      const scheme = isSecure && n % 2 === 1 ? 'https' : 'http';
      return n === 0 ? `http://${name}/` : `${scheme}://${name}/p${n}`;
    });
    const refused = below(size);
    const pages = urls.map((url, n): [string, PagePlan] => {
      const children = urls.slice(fanOut * n + 1, fanOut * (n + 1) + 1);
      const refusal = n === refused ? pageRefusal(trouble, pick) : undefined;
      const links = [...children, pick(urls), `http://${pick(names)}/`];
      return [url, { links, ...(refusal && { refusal }) }];
    });
    const robotsRefusal = refusalOfRobots(trouble, pick);
    return {
      name,
      ...(crawlDelay !== undefined && { crawlDelay }),
      hasPrivate: below(3) === 0,
      ...(robotsRefusal && { robotsRefusal }),
      ...(robotsRedirects && below(8) === 0 && { robotsAt: pick(names) }),
      slowness: pick([0, 0, 0, 0, 120, 400]),
      pages: new Map(pages),
    };
  });

  for (const host of hosts) {
    const root = `http://${host.name}/`;
    if (host.hasPrivate) link(host, root, `http://${host.name}/private`);
    if (below(3) === 0) addRedirect(host, host, below);
    if (below(3) === 0) addRedirect(host, pick(hosts.filter((other) => other !== host)), below);
  }
  return hosts;
}

/** The number of redirects of a robots.txt that are followed (RFC 9309, section 2.3.1.2). */
const MAX_REDIRECTS = 5;

/** The host whose robots.txt applies to this one; undefined after too many redirects: everything is allowed. */
export function robotsHostOf(host: HostPlan, hosts: readonly HostPlan[]): HostPlan | undefined {
  let at = host;
  for (let redirects = 0; at.robotsAt !== undefined; redirects++) {
    const next = hosts.find(({ name }) => name === at.robotsAt);
    if (!next || redirects === MAX_REDIRECTS) return undefined;
    at = next;
  }
  return at;
}

type Trouble = (typeof TROUBLES)[number];

function pageRefusal(trouble: Trouble, pick: <T>(from: readonly T[]) => T): Refusal | undefined {
  const status = pick([429, 503] as const);
  const times = pick([1, 2]);
  if (trouble === 'seconds') return { times, status, retryAfter: { seconds: pick([1, 3]) } };
  if (trouble === 'long') return { times, status, retryAfter: { seconds: 5 } };
  if (trouble === 'date') return { times, status, retryAfter: { date: pick([1, 3]) } };
  if (trouble === 'backoff') return { times: 2, status };
  if (trouble === 'words') return { times, status, retryAfter: { text: 'soon' } };
  return undefined;
}

function refusalOfRobots(trouble: Trouble, pick: <T>(from: readonly T[]) => T): Refusal | undefined {
  const times = pick([1, 2, 4]);
  if (trouble === 'robots') return { times, status: 503 };
  if (trouble === 'robots-seconds') return { times: 1, status: 503, retryAfter: { seconds: pick([1, 2]) } };
  return undefined;
}

/** A page `/out<n>` of one host redirects to `/in<n>` of another or of the same host, which has no other inlinks. */
function addRedirect(from: HostPlan, to: HostPlan, below: (n: number) => number): void {
  const n = to.pages.size;
  const pages = [...from.pages].filter(([, plan]) => !plan.redirect).map(([url]) => url);
  const out = `http://${from.name}/out-${to.name}-${n}`;
  const target = `http://${to.name}/in-${from.name}-${n}`;
  from.pages.set(out, { links: [], redirect: { status: [301, 302, 307, 308][below(4)]!, target } });
  to.pages.set(target, { links: [] });
  link(from, pages[below(pages.length)]!, out);
}

function link(host: HostPlan, from: string, to: string): void {
  const plan = host.pages.get(from);
  if (plan) host.pages.set(from, { ...plan, links: [...plan.links, to] });
}
