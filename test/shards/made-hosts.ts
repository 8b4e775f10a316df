import { drawHosts, type HostPlan } from '../politeness/host-policies.js';
import { servePolicies, type PolicyServer } from '../politeness/policy-server.js';

/** A web of many hosts. Each has its own loopback address, so any process finds it without DNS. */
export interface MadeHosts {
  readonly hosts: readonly HostPlan[];
  readonly server: PolicyServer;
  /** The root of each host. */
  readonly seeds: readonly string[];
  /** The number of URLs that a crawl finds, without robots.txt and without denied pages. */
  readonly pages: number;
  close(): Promise<void>;
}

/** The delays that the crawl must obey, in seconds. */
export const DELAYS = { serverDelay: 0.05, crawlDelays: [undefined, undefined, 0.1] } as const;

/** The settings of the crawl. */
export const SETTINGS = {
  'fetcher.serverDelay': DELAYS.serverDelay,
  'fetcher.serverMinDelay': DELAYS.serverDelay,
  'http.privateAddresses': 'allow',
  'http.agentName': 'shards-test',
  // The result must not depend on a busy machine.
  'http.timeout': 60_000,
} as const;

/**
 * Serves the web: trees of pages within each host, links between hosts, redirects within a host and to others, and robots.txt
 * that denies pages, asks for a delay, or redirects to another host.
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
