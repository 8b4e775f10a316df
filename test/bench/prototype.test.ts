/** The prototype of the next design stores the same rows as webcrawl, and loses none of them at a `kill -9`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkedPage, journalledPages, storedRows, type StoredRow } from '../../bench/prototype/read-back.js';
import { jobs, openContext } from '../../packages/webcrawl/internal.js';
import { ROOT } from '../support/docs/source-files.js';
import type { ServerTask } from '../../bench/workers/site-server.js';
import { runCommand } from '../site/run-command.js';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const HOSTS = 30;
const COMPILER: string = '../../bench/compile.mjs';
const RULES = join(ROOT, 'bench/peers/url-rules.txt');

let folder: string;
let server: ChildProcess;
let seed: string;

beforeAll(async () => {
  const { compile } = (await import(COMPILER)) as { compile: () => Promise<void> };
  await compile();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-prototype-'));
  const task = JSON.stringify({ madeUp: 'synthetic', hosts: HOSTS, pagesPerHost: 10 } satisfies ServerTask);
  server = spawn(process.execPath, [join(ROOT, 'dist/bench/workers/site-server.js'), task], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: server.stdout! }), 'line')) as [string];
  seed = (JSON.parse(line) as { seeds: string[] }).seeds[0]!;
});

afterAll(async () => {
  server.kill();
  await rm(folder, { recursive: true, force: true });
});

function command(out: string, ...more: string[]): [string, string[]] {
  const main = join(ROOT, 'dist/bench/prototype/main.js');
  const args = ['--seeds', seed, '--stay', 'any', '--out', out, '--rules', RULES, '--workers', '2', ...more];
  return [process.execPath, [main, ...args]];
}

async function crawlByPrototype(out: string, ...more: string[]): Promise<unknown> {
  const [file, args] = command(out, ...more);
  const { code, stdout, stderr } = await runCommand(file, args, { cwd: folder, env: process.env, timeout: 110_000 });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

async function rowsOfWebcrawl(): Promise<Map<string, StoredRow>> {
  const table = `level:${join(folder, 'webcrawl')}`;
  const settings = {
    'fetcher.serverDelay': 0,
    'fetcher.threadsPerQueue': 8,
    'http.privateAddresses': 'allow',
    'urlfilter.regexFile': RULES,
    'db.maxOutlinksPerPage': -1,
  } as const;
  await using crawl = await openContext({ table, settings });
  await jobs.crawl(crawl, { seeds: [seed], stay: 'any' });
  const rows = new Map<string, StoredRow>();
  const fields = ['status', 'title', 'outlinks', 'inlinkCount'] as const;
  for await (const { url, status, title = '', outlinks = [], inlinkCount } of crawl.pages({ fields })) {
    rows.set(url, { url, status: status!, title, outlinks: outlinks.length, inlinks: inlinkCount ?? 0 });
  }
  return rows;
}

const sorted = (rows: ReadonlyMap<string, StoredRow>): StoredRow[] =>
  [...rows.values()].sort((a, b) => (a.url < b.url ? -1 : 1));

describe.runIf(process.platform === 'linux')('the prototype', () => {
  it('stores the rows that webcrawl stores', async () => {
    const out = join(folder, 'whole');
    expect(await crawlByPrototype(out)).toMatchObject({ pages: HOSTS * 10 });
    expect(sorted(await storedRows(out))).toEqual(sorted(await rowsOfWebcrawl()));
  });

  it('loses no page of a journal at a kill, and ends with the same rows when it continues', async () => {
    const whole = await storedRows(join(folder, 'whole'));
    let stored = 0;
    let halves = 0;
    for (let kill = 0; kill < 6; kill++) {
      const out = join(folder, `killed-${kill}`);
      const [file, args] = command(out, '--round', '60', '--concurrency', '4');
      const child = spawn(file, args, { stdio: 'ignore' });
      const exited = once(child, 'exit');
      // Kills at a different moment each time, after the first groups are written.
      for (;;) {
        const names = await readdir(out).catch(() => []);
        if (child.exitCode !== null || names.some((name) => name.startsWith('segment-'))) break;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      await new Promise((resolve) => setTimeout(resolve, kill * 15));
      child.kill('SIGKILL');
      await exited;

      const pages = journalledPages(out);
      for (const page of pages) expect(checkedPage(out, page).body.length).toBeGreaterThan(0);
      const copy = join(folder, `replayed-${kill}`);
      await cp(out, copy, { recursive: true });
      const replayed = await storedRows(copy);
      for (const { url } of pages) expect(replayed.get(url)).toMatchObject({ status: 'fetched' });
      const fetched = [...replayed.values()].filter(({ status }) => status === 'fetched').length;
      stored += pages.length;
      if (fetched > 0 && fetched < HOSTS * 10) halves++;

      await crawlByPrototype(out);
      expect(sorted(await storedRows(out))).toEqual(sorted(whole));
    }
    expect(stored).toBeGreaterThan(0);
    expect(halves).toBeGreaterThan(0);
  });
});
