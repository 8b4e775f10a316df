import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hostsText, planText } from '../../../bin/output/hosts-text.js';
import type { CrawlPlan, HostFigures } from '../../../packages/webcrawl/internal.js';
import { suiteFolder } from '../../support/files/temp-folder.js';
import { runLine } from '../test-io.js';

const folder = suiteFolder();
const webcrawl = (...args: string[]) => runLine(['--table', `level:${join(folder, 'table')}`, ...args]);

beforeAll(async () => {
  const seeds = Array.from({ length: 25 }, (_, i) => `https://h${i}.example.com/`);
  await webcrawl('inject', ...seeds, 'https://h7.example.com/2', 'https://h7.example.com/3');
});

const lines = (text: string): string[] => text.trimEnd().split('\n');

describe('hosts', () => {
  test('shows a table of the twenty largest hosts, and the number of further ones', async () => {
    const { code, out, err } = await webcrawl('hosts');
    expect(code).toBe(0);
    expect(lines(out)).toHaveLength(21);
    expect(lines(out)[0]).toMatch(/^pages +fetched +gone +failed +due +delay .* host$/);
    expect(lines(out)[1]).toMatch(/^3 +0 +0 +0 +3 +1 s .* never .* h7\.example\.com$/);
    expect(err).toContain('Hosts that are not shown: 5; --top <n> shows more.');
  });

  test('JSON Lines have all hosts, and more fields than the table', async () => {
    const { out, err } = await webcrawl('hosts', '--json');
    expect(err).toBe('');
    expect(lines(out)).toHaveLength(25);
    expect(JSON.parse(lines(out)[0]!)).toMatchObject({
      host: 'h0.example.com',
      statuses: { unfetched: 1 },
      errors: {},
      delay: { seconds: 1, by: 'fetcher.serverDelay' },
      robots: { verdict: 'unknown' },
    });
    const domain = lines((await webcrawl('hosts', '--by', 'domain', '--json')).out);
    expect(domain.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { host: 'example.com', hosts: 25, pages: 27 },
    ]);
  });

  test('CSV has a column for each figure, and goes to a file', async () => {
    const file = join(folder, 'hosts.csv');
    const { err } = await webcrawl('hosts', '--format', 'csv', '--output', file, '--host', 'h7.example.com');
    expect(err).toContain(`Hosts written to ${file}: 1`);
    const [head = '', record = ''] = lines(readFileSync(file, 'utf8'));
    const cells = new Map(
      head
        .trim()
        .split(',')
        .map((name, i) => [name, record.trim().split(',')[i]]),
    );
    expect(Object.fromEntries(cells)).toMatchObject({
      host: 'h7.example.com',
      pages: '3',
      unfetched: '3',
      failed: '0',
      due: '3',
      delay: '1',
      delayBy: 'fetcher.serverDelay',
      robots: 'unknown',
      nextDueAt: '',
    });
  });

  test('no host is exit status 1; options that exclude each other are wrong usage', async () => {
    expect(await webcrawl('hosts', '--host', 'none.example')).toMatchObject({ code: 1, out: '' });
    expect((await webcrawl('hosts', '--json', '--format', 'csv')).code).toBe(64);
    expect((await webcrawl('hosts', '--force')).code).toBe(64);
  });
});

describe('explain --host', () => {
  test('says what limits the speed', async () => {
    const { code, out } = await webcrawl('explain', '--host', 'h7.example.com');
    expect(code).toBe(0);
    expect(out).toMatch(/^h7\.example\.com\n\n1 s a page: fetcher\.serverDelay 1, one queue\.\n/);
    expect(out).toContain('3 pages are due: 2.0 s.');
    const { out: json } = await webcrawl('explain', '--host', 'h7.example.com', '--json');
    expect(JSON.parse(json)).toMatchObject({ host: 'h7.example.com', secondsPerPage: 1, secondsForDue: 2 });
    expect((await webcrawl('explain', '--host', 'none.example')).code).toBe(1);
  });

  test('takes a host or a URL', async () => {
    expect((await webcrawl('explain')).code).toBe(64);
    expect((await webcrawl('explain', 'https://h7.example.com/', '--host', 'h7.example.com')).code).toBe(64);
    expect((await webcrawl('explain', '--host', 'h7.example.com', '--robots')).code).toBe(64);
  });
});

describe('plan', () => {
  test('shows the requests of each round and the slowest queue', async () => {
    const { code, out } = await webcrawl('plan', '--top', '2');
    expect(code).toBe(0);
    expect(out).toContain(
      'Round 1: 27 pages, 52 requests, 25 of them for robots.txt, 25 queues, 3.0 s at least; h7.example.com is the slowest.',
    );
    expect(out).toMatch(/^3 +1 +1 s \(fetcher\.serverDelay\) +3\.0 s +h7\.example\.com$/m);
    expect(out).toContain('Queues that are not shown: 23.');
  });

  test('--json is one object; --top-n limits the rounds', async () => {
    const { out } = await webcrawl('plan', '--json', '--rounds', '2', '--top-n', '10');
    expect(JSON.parse(out)).toMatchObject({ rounds: [{ pages: 10 }, { pages: 10 }], left: 7 });
  });

  test('pages of a batch come first; nothing due is 1', async () => {
    const other = (...args: string[]) => runLine(['--table', `level:${join(folder, 'other')}`, ...args]);
    await other('inject', 'https://example.com/');
    await other('generate');
    expect((await other('plan')).out).toContain('Open batches: 1 page, 2 requests');
    const { out: batch } = await other('generate', '--json');
    expect(JSON.parse(batch)).not.toHaveProperty('batchId');
    const { code, out } = await other(
      'plan',
      '--set',
      'generate.restrictStatus=gone',
      '--set',
      'generate.lockExpirySeconds=0',
    );
    expect([code, out]).toEqual([1, 'Nothing is due.\nExcluded\n  status  1\n']);
  });
});

describe('the text output', () => {
  const evil = 'a\u001b[2J\nb';

  test('no text from the network reaches a terminal unescaped, or begins a line', () => {
    const figures = { host: evil, statuses: {}, errors: {}, delay: { seconds: 1, by: 'Crawl-delay' } };
    const plan = {
      rounds: [
        {
          round: 1,
          pages: 1,
          requests: 1,
          robots: 0,
          queues: 1,
          seconds: 1,
          slowest: evil,
          notRequested: { [evil]: 1 },
        },
      ],
      queues: [{ queue: evil, pages: 1, robots: 0, seconds: 1, delay: { seconds: 1, by: 'Crawl-delay' } }],
      queueCount: 1,
      excluded: { [evil]: 2 },
      left: 0,
    };
    const texts = [
      hostsText([{ ...figures, hosts: 1, pages: 1, bytes: 1, due: 0 } as unknown as HostFigures], 0, 80),
      planText(plan as unknown as CrawlPlan),
    ];
    for (const text of texts) {
      expect(text).not.toContain('\u001b');
      expect(text).not.toMatch(/^b/m);
    }
  });

  test('leaves out columns of hosts until the table fits the terminal', () => {
    const figures = { host: 'manuals.example.com', hosts: 1, pages: 12_345, statuses: { fetched: 12_000 }, errors: {} };
    const times = { meanMs: 1234, slowestMs: 123_456, bytes: 9e9, due: 100, lastRequestAt: 0, inBackoff: 1 };
    const found = [{ ...figures, ...times, delay: { seconds: 1, by: 'setting' } }] as unknown as HostFigures[];
    const [wide, narrow] = [200, 80].map((columns) => hostsText(found, 1000, columns).split('\n'));
    expect(wide![0]).toMatch(/mean +slowest +size +requested +state +host$/);
    expect(narrow![0]).toMatch(/delay +state +host$/);
    expect(narrow![1]).toMatch(/ manuals\.example\.com$/);
    expect(Math.max(...narrow!.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test('says when nothing is due', () => {
    const plan = { rounds: [], excluded: { distance: 3 }, now: 0, nextDueAt: 60_000 } as unknown as CrawlPlan;
    expect(planText(plan)).toMatch(
      /^Nothing is due\. The next page becomes due in 1 min 0 s\.\nExcluded\n {2}distance +3\n$/,
    );
  });
});
