import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exportGraph, jobs, rowKeyOf, type Report } from '../../../packages/webcrawl/internal.js';
import { runs } from '../../support/runs.js';
import { changeRows } from '../../support/stores/put-rows.js';
import { testCrawl, type TestCrawl } from '../../support/test-crawl.js';
import { randomNumbers } from '../../support/web/fake-web.js';
import { hasPython, python } from './python.js';
import { suiteFolder } from '../../support/files/temp-folder.js';

const READER = fileURLToPath(new URL('read-graph.py', import.meta.url));
const PAGES = runs(2000, 20_000);
const DAMPING = 0.85;

const folder = suiteFolder();
let crawl: TestCrawl;
let report: Report;
beforeAll(async () => {
  crawl = await testCrawl(undefined, { settings: { 'rank.tolerance': 1e-13, 'rank.maxIterations': 500 } });
  const random = randomNumbers(17);
  const url = (n: number): string => `https://h${n % 300}.example.com/${n}`;
  const rows = Array.from({ length: PAGES }, (_, n) => {
    const links = Array.from({ length: n % 5 === 4 ? 0 : 12 }, () => url(Math.floor(random() ** 2 * PAGES)));
    const outlinks = [...new Set(links)].map((link) => ({ url: link, anchor: '' }));
    return { key: rowKeyOf(url(n)), set: { status: 'fetched' as const, outlinks } };
  });
  for (let at = 0; at < rows.length; at += 1000) await changeRows(crawl, rows.slice(at, at + 1000));
  await jobs.rank(crawl, { folder });
  for (const level of ['page', 'host'] as const) await exportGraph(crawl, { output: join(folder, level), level });
  await exportGraph(crawl, { output: join(folder, 'hosts.graphml'), level: 'host' });
  report = await exportGraph(crawl, { output: join(folder, 'parquet'), level: 'page', format: 'parquet' });
}, 120_000);
afterAll(() => crawl.close());

interface Read {
  readonly nodes: number;
  readonly edges: number;
  readonly ranks: Readonly<Record<string, number>>;
}

function read(reader: string, name: string): Read {
  const { status, out, errors } = python([READER, reader, join(folder, name), String(DAMPING)]);
  expect(errors).toBe('');
  expect(status).toBe(0);
  return JSON.parse(out) as Read;
}

describe.each(['igraph', 'networkx'])('%s', (program) => {
  test.skipIf(!hasPython(program))('computes the same PageRank of pages and of hosts, to 1e-9', async () => {
    const [pages, hosts] = [read(program, 'page'), read(program, 'host')];
    expect(pages).toMatchObject({ nodes: report.counters.nodes, edges: report.counters.edges });
    expect(Object.keys(pages.ranks)).toHaveLength(PAGES);
    const apart = { page: 0, host: 0 };
    for await (const { key, url, rank = NaN, hostRank = NaN } of crawl.pages({ fields: ['rank', 'hostRank'] })) {
      const host = new URL(url).hostname.split('.').reverse().join('.');
      apart.page += Math.abs(rank - pages.ranks[key]!);
      apart.host = Math.max(apart.host, Math.abs(hostRank - hosts.ranks[host]!));
    }
    // The page value is the sum over all pages.
    expect(apart.page).toBeLessThan(1e-9);
    expect(apart.host).toBeLessThan(1e-9);
  });
});

test.skipIf(!hasPython('networkx'))('networkx reads GraphML', () => {
  const { nodes, edges } = read('networkx', 'host');
  expect(read('networkx-graphml', 'hosts.graphml')).toMatchObject({ nodes, edges });
});

test.skipIf(!hasPython('duckdb'))('duckdb reads Parquet', () => {
  expect(read('duckdb', 'parquet')).toMatchObject({ nodes: report.counters.nodes, edges: report.counters.edges });
});
