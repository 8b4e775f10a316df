import {
  createTable,
  jobs,
  openContext,
  type OpenContext,
  type RepairReport,
} from '../../packages/webcrawl/internal.js';
import type { AccessEntry } from '../politeness/access-log.js';
import { isRobots } from '../politeness/access-log.js';
import { checkPoliteness, type Violation } from '../politeness/check-politeness.js';
import { crawledRows, type CrawledRow } from './crawled-rows.js';
import type { Killed, Killer } from './kills.js';
import { DELAYS, SETTINGS, type MadeHosts } from './made-hosts.js';
import { isSoak } from '../support/runs.js';

/** `npm run soak -- --only shards` crawls 5,000 pages on 200 hosts with 20 kills; CI crawls a small part of that. */
export const FULL = isSoak;
/** A limit that no part reaches, even on a busy machine. */
export const MOST_MS = FULL ? 14_400_000 : 2_400_000;

/** Opens a table for a crawl of the test's hosts. */
export const openShared = (table: string): Promise<OpenContext> => openContext({ table, settings: SETTINGS });

/** Makes a table on HBase. @returns its URL */
export async function tableOnHBase(gateways: readonly string[], prefix: string): Promise<string> {
  const table = `hbase://${gateways.join(',')}/${prefix}`;
  await createTable({ table, slots: 32 });
  return table;
}

/** Runs the jobs one after another in this process. */
export async function crawlAlone(web: MadeHosts, table: string): Promise<ReadonlyMap<string, CrawledRow>> {
  const tell = watch(web);
  await using crawl = await openShared(table);
  await jobs.inject(crawl, { seeds: web.seeds });
  for (;;) {
    const { batchId } = await jobs.generate(crawl);
    if (batchId === undefined) break;
    await jobs.fetch(crawl, { batch: batchId, parse: true });
    await jobs.updatedb(crawl, { batch: batchId });
  }
  const rows = await crawledRows(crawl);
  tell(table.startsWith('hbase:') ? 'HBase, one process' : 'embedded', ` with ranks: ${statusesOf(rows)}`);
  return rows;
}

/** Runs a crawl, and kills what the killer has planned. */
export async function withKills(
  web: MadeHosts,
  name: string,
  killer: Killer,
  crawl: () => Promise<unknown>,
): Promise<void> {
  const tell = watch(web);
  const before = web.server.log.length;
  web.server.onRequest = (count) => killer.onRequest(count - before);
  await crawl();
  await killer.settle();
  tell(name, killer.killed.length === 0 ? '' : `, killed with -9: ${killsOf(killer.killed)}`);
}

/** Requests that were earlier than their host allows; prints how many requests had to wait. */
export function tooEarly(log: readonly AccessEntry[], killed: readonly Killed[] = []): readonly Violation[] {
  const rules = { serverDelay: DELAYS.serverDelay, minBackoffSeconds: 1, maxBackoffSeconds: 4 };
  const kills = killed.map(({ at }) => at);
  const { violations, waits, acrossKills } = checkPoliteness(log, kills, rules);
  const across = sum(Object.values(acrossKills));
  say(
    `${violations.length} of ${log.length} requests came too early; ${sum(Object.values(waits))} were held by an earlier one, ${across} across kills`,
  );
  return violations;
}

/** Pages that were requested more than once. */
export function askedAgain(log: readonly AccessEntry[]): string[] {
  const seen = new Set<string>();
  return log.flatMap((entry) => {
    const url = `${entry.host}${entry.path}`;
    const isAgain = !isRobots(entry) && seen.has(url);
    seen.add(url);
    return isAgain ? [url] : [];
  });
}

/** What repair found to be missing; stale entries are no fault. */
export function missingIn({ counters }: RepairReport): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counters).filter(([name]) => /missing|lost|damaged/.test(name)));
}

/** Prints a line with the time, to show the progress of a long run. */
const say = (line: string): void => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

/** Begins to measure a crawl. @returns a function that prints its figures, the other purpose of a soak */
function watch({ server, pages }: MadeHosts): (name: string, more: string) => void {
  const [began, requests] = [server.now(), server.log.length];
  return (name, more) => {
    const seconds = Math.round((server.now() - began) / 1000);
    say(`${name}: ${pages} pages, ${server.log.length - requests} requests, ${seconds} s${more}`);
  };
}

/** The number of rows of each status. */
function statusesOf(rows: ReadonlyMap<string, CrawledRow>): string {
  return sums([...rows.values()].map(({ status }) => [String(status), 1]));
}

/** The number of killed processes of each kind. */
function killsOf(killed: readonly Killed[]): string {
  return sums(killed.map(({ victim, count }) => [victim, count]));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function sums(entries: readonly (readonly [string, number])[]): string {
  const found = new Map<string, number>();
  for (const [name, count] of entries) found.set(name, (found.get(name) ?? 0) + count);
  return [...found].map(([name, count]) => `${count} ${name}`).join(', ');
}
