import { drawHosts, type HostPlan } from '../politeness/host-policies.js';
import { servePolicies, type PolicyServer } from '../politeness/policy-server.js';

/** A web of many hosts, each at an address of its own on loopback, so that any process finds it without names. */
export interface MadeHosts {
  readonly hosts: readonly HostPlan[];
  readonly server: PolicyServer;
  /** The root of each host. */
  readonly seeds: readonly string[];
  /** URLs that a crawl finds, `robots.txt` and what it denies left out. */
  readonly pages: number;
  close(): Promise<void>;
}

/** What the crawl of it has to keep to, in seconds. */
export const DELAYS = { serverDelay: 0.05, crawlDelays: [undefined, undefined, 0.1] } as const;

/** The settings for it. */
export const SETTINGS = {
  'fetcher.serverDelay': DELAYS.serverDelay,
  'fetcher.serverMinDelay': DELAYS.serverDelay,
  'http.privateAddresses': 'allow',
  'http.agentName': 'shards-test',
  // A busy machine is no reason for another result.
  'http.timeout': 60_000,
} as const;

/**
 * Serves it: trees of pages within each host, links between hosts, redirects within a host and to others, and robots.txt that
 * deny pages, ask for a delay, or redirect to that of another host.
 */
export async function madeHosts(seed: number, count: number, pages: readonly [number, number]): Promise<MadeHosts> {
  const hosts = drawHosts(
    seed,
    count,
    { refusals: false, robotsRedirects: true },
    {
      nameOf: (i) => `127.77.${Math.floor(i / 250)}.${1 + (i % 250)}`,
      pages,
      children: 10,
      secure: false,
      crawlDelays: DELAYS.crawlDelays,
    },
  );
  const server = await servePolicies(hosts, '0.0.0.0');
  return {
    hosts,
    server,
    seeds: hosts.map(({ name }) => server.urlOf(`http://${name}/`)),
    pages: hosts.reduce((sum, host) => sum + host.pages.size, 0),
    close: () => server.close(),
  };
}
