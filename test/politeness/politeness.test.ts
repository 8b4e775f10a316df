import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openContext } from '../../packages/webcrawl/internal.js';
import { isRefusal, isRobots } from './access-log.js';
import { checkPoliteness, isUnsettled, type Findings } from './check-politeness.js';
import { drawHosts, robotsHostOf, type HostPlan } from './host-policies.js';
import { interruptedCrawl, type InterruptedCrawl, type Interruption } from './interrupted-crawl.js';
import { servePolicies, type PolicyServer } from './policy-server.js';

const SEED = 20;
const HOSTS = 200;

const TROUBLES = { refusals: true, robotsRedirects: true };

const RULES = { serverDelay: 0.5, minBackoffSeconds: 1, maxBackoffSeconds: 4 };
const SETTINGS = {
  'fetcher.serverDelay': RULES.serverDelay,
  'fetcher.minBackoffSeconds': RULES.minBackoffSeconds,
  'fetcher.maxBackoffSeconds': RULES.maxBackoffSeconds,
  // Some hosts ask for less, so their queues wait; some for more, so their pages are left to a later run.
  'fetcher.maxBackoffWaitSeconds': 1.5,
  // A page may fail several times before its host recovers.
  'db.fetchRetryMax': 20,
};

/**
 * The time in ms within which a page is stored, on a busy machine: it is parsed first, and the target of a redirect gets its
 * row.
 */
const PAGE_SETTLE = 3000;

const INTERRUPTIONS: readonly Interruption[] = [
  { after: 40, signal: 'SIGKILL' },
  { after: 450, signal: 'SIGTERM' },
  { after: 600, signal: 'SIGKILL' },
  { after: 800, signal: 'SIGKILL' },
  { after: 950, signal: 'SIGTERM' },
  { after: 1100, signal: 'SIGKILL' },
  { after: 1350, signal: 'SIGKILL' },
];

describe(`a crawl of ${HOSTS} hosts that is killed and restarted`, () => {
  let directory: string;
  let hosts: readonly HostPlan[];
  let server: PolicyServer;
  let crawled: InterruptedCrawl;
  let findings: Findings;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'webcrawl-politeness-'));
    hosts = drawHosts(SEED, HOSTS, TROUBLES);
    server = await servePolicies(hosts);
    const seeds = hosts.map(({ name }) => server.urlOf(`http://${name}/`));
    crawled = await interruptedCrawl(server, { directory, seeds, settings: SETTINGS }, INTERRUPTIONS);
    findings = checkPoliteness(server.log, crawled.kills, RULES);
  });
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('sends no request earlier than its host allows', () => {
    expect(findings.violations).toEqual([]);
  });

  it('fetches every page that can be fetched', async () => {
    await using crawl = await openContext({ table: `level:${directory}`, create: false });
    const found: string[] = [];
    for await (const { url, status } of crawl.pages({ fields: [] })) {
      if (status === 'fetched' || status?.startsWith('redir_')) found.push(server.planOf(url));
    }
    expect(found.sort()).toEqual(hosts.flatMap(({ pages }) => [...pages.keys()]).sort());
  });

  it('fetches each page once, unless a kill came before the page was stored', () => {
    const fetched = new Set<string>();
    const again: string[] = [];
    for (const entry of server.log) {
      if (isRobots(entry) || entry.status >= 400) continue;
      const url = `${entry.scheme}://${entry.host}${entry.path}`;
      if (fetched.has(url)) again.push(url);
      if (!isUnsettled(entry, crawled.kills, PAGE_SETTLE)) fetched.add(url);
    }
    expect(again).toEqual([]);
  });

  it('never requests a page that robots.txt denies', () => {
    const denying = hosts.filter((host) => robotsHostOf(host, hosts)?.hasPrivate).map(({ name }) => name);
    const asked = server.log.filter(({ path }) => path === '/private').map(({ host }) => host);
    expect(asked.filter((host) => denying.includes(host))).toEqual([]);
    expect(denying.length).toBeGreaterThan(20);
    // If robots.txt redirects to another host, only the robots.txt of that host counts.
    const allowing = hosts.filter((host) => host.hasPrivate && robotsHostOf(host, hosts)?.hasPrivate !== true);
    expect(new Set(asked)).toEqual(new Set(allowing.map(({ name }) => name)));
    expect(allowing.length).toBeGreaterThan(3);
  });

  it('met every kind of wait and trouble', () => {
    expect(crawled.kills).toHaveLength(5);
    expect(crawled.stops).toBe(2);
    const { waits, longest, acrossKills, unsettled } = findings;
    expect(waits.delay).toBeGreaterThan(300);
    expect(waits['crawl-delay']).toBeGreaterThan(100);
    expect(waits['retry-after']).toBeGreaterThan(30);
    expect(waits['retry-date']).toBeGreaterThan(10);
    expect(waits.backoff).toBeGreaterThan(50);
    // Retry-After was longer than a run waits, so hosts were set aside; and the maximum back-off was reached.
    expect(longest['retry-after']).toBe(5000);
    expect(longest.backoff).toBe(RULES.maxBackoffSeconds * 1000);
    const refused = acrossKills['retry-after'] + acrossKills['retry-date'] + acrossKills.backoff;
    expect(refused).toBeGreaterThan(0);
    expect(refused + acrossKills['crawl-delay']).toBeGreaterThan(3);
    expect(unsettled).toBeLessThan(server.log.filter(isRefusal).length / 2);

    const moved = server.log.filter((entry) => isRobots(entry) && entry.status === 301);
    expect(moved.length).toBeGreaterThan(20);

    const pages = hosts.flatMap((host) => [...host.pages].map(([url, plan]) => ({ host: host.name, url, ...plan })));
    const leads = pages.flatMap(({ host, redirect }) => (redirect ? [new URL(redirect.target).hostname === host] : []));
    expect(leads.filter((within) => within).length).toBeGreaterThan(20);
    expect(leads.filter((within) => !within).length).toBeGreaterThan(20);
    expect(pages.filter(({ url }) => url.startsWith('https:')).length).toBeGreaterThan(40);
    expect(hosts.filter(({ slowness }) => slowness > 0).length).toBeGreaterThan(30);
  });
});
