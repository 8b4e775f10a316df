import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCrawl } from '../../packages/webcrawl/index.js';
import type { AccessEntry } from './access-log.js';
import { checkPoliteness, isUnsettled, type Findings } from './check-politeness.js';
import { drawHosts, type HostPlan } from './host-policies.js';
import { interruptedCrawl, type InterruptedCrawl, type Interruption } from './interrupted-crawl.js';
import { servePolicies, type PolicyServer } from './policy-server.js';

const SEED = 20;
const HOSTS = 200;
const RULES = { serverDelay: 0.4 };
const SETTINGS = { 'fetcher.serverDelay': RULES.serverDelay };
const INTERRUPTIONS: readonly Interruption[] = [
  { after: 150, signal: 'SIGKILL' },
  { after: 350, signal: 'SIGTERM' },
  { after: 450, signal: 'SIGKILL' },
  { after: 600, signal: 'SIGKILL' },
  { after: 800, signal: 'SIGTERM' },
  { after: 900, signal: 'SIGKILL' },
  { after: 1050, signal: 'SIGKILL' },
];

describe(`a crawl of ${HOSTS} hosts that is killed and started again`, () => {
  let directory: string;
  let hosts: readonly HostPlan[];
  let server: PolicyServer;
  let crawled: InterruptedCrawl;
  let findings: Findings;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'webcrawl-politeness-'));
    hosts = drawHosts(SEED, HOSTS, { refusals: false });
    server = await servePolicies(hosts);
    const seeds = hosts.map(({ name }) => server.urlOf(`http://${name}/`));
    crawled = await interruptedCrawl(server, { directory, seeds, settings: SETTINGS }, INTERRUPTIONS);
    findings = checkPoliteness(server.log, crawled.kills, { ...RULES, backoffMin: 0.5, backoffMax: 2 });
    console.log(crawled, findings, server.log.length);
  }, 180_000);
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('asks no host earlier than it allowed', () => {
    expect(findings.violations).toEqual([]);
  });

  it('fetches every page that can be had', async () => {
    await using crawl = await openCrawl({ table: `level:${directory}`, create: false });
    const found: string[] = [];
    for await (const { url, status } of crawl.pages({ fields: [] })) {
      if (status === 'fetched' || status.startsWith('redir_')) found.push(server.planOf(url));
    }
    expect(found.sort()).toEqual(hosts.flatMap(({ pages }) => [...pages.keys()]).sort());
  });

  it('fetches each page once, but where a kill came before it was noted', () => {
    const answers = new Map<string, AccessEntry[]>();
    for (const entry of server.log) {
      const url = `${entry.scheme}://${entry.host}${entry.path}`;
      if (entry.status < 400) answers.set(url, [...(answers.get(url) ?? []), entry]);
    }
    const repeated = [...answers].filter(
      ([, entries]) => entries.slice(0, -1).filter((entry) => !isUnsettled(entry, crawled.kills)).length > 0,
    );
    expect(repeated).toEqual([]);
  });
});
