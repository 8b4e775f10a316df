// Finds the publishing day of pages by one finder, and compares it with the known day.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openContext, pageDump, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { DATES, datedPages, type DateFinder } from '../lib/date-sets.js';
import { givenArgument, reply } from '../lib/worker.js';

/** Finds the day of a page (empty: none), and measures the CPU time in ms. */
type Find = (html: Buffer, url: string) => Promise<{ day: string; cpuMs: number }>;

const { name, scale } = givenArgument<{ name: DateFinder; scale: number }>();
const find = name === 'webcrawl' ? await ours() : htmldate(name === 'htmldate-fast');
const pages = datedPages(scale);
// A warm-up: code is compiled while the first pages are read.
for (const { file, url } of pages.slice(0, 20)) await find(readFileSync(file), url);
const found = [];
for (const { file, ...page } of pages) {
  const { day, cpuMs } = await find(readFileSync(file), page.url);
  found.push({ ...page, found: day, cpuMs });
}
reply({ found });
process.exit();

async function ours(): Promise<Find> {
  const crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, ['publishedDay']);
  return async (content, url) => {
    const cpu = process.cpuUsage();
    const { publishedDay } = dump({ key: rowKeyOf(readable(url)), content, contentType: 'text/html' });
    const { user, system } = process.cpuUsage(cpu);
    return { day: typeof publishedDay === 'string' ? publishedDay : '', cpuMs: (user + system) / 1000 };
  };
}

/** One page of the set has a letter before its URL. */
function readable(url: string): string {
  return url.replace(/^[^:]*(https?:)/, '$1');
}

/** A Python process that reads a page from each line and answers with a line. */
function htmldate(isFast: boolean): Find {
  const child = spawn(DATES.python, [DATES.finder, ...(isFast ? ['--fast'] : [])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  return async (html) => {
    const answer = once(lines, 'line');
    child.stdin.write(`${html.toString('base64')}\n`);
    const [line] = (await answer) as [string];
    return JSON.parse(line) as { day: string; cpuMs: number };
  };
}
