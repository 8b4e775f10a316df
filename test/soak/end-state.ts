import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openContext, rules, type OpenContext, type Report } from '../../packages/webcrawl/internal.js';
import { fileDigests } from '../support/files/file-digests.js';
import { dumpIndex } from '../support/index/dump-index.js';
import { allRows } from '../support/test-crawl.js';

/** The state of a table after a step, without what differs between two runs of the same steps. */
export interface State {
  /** The rows by URL, with links and bodies. */
  readonly rows: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The states of the batches that are not closed. */
  readonly batches: readonly string[];
  /** The files made from the table, by path: digests; of a manifest its text without times. */
  readonly files: ReadonlyMap<string, string>;
  /** The documents of the search index by row key, with the positions of their terms; empty if the index is not compared. */
  readonly documents: ReadonlyMap<string, string>;
  /** The rules of the table by id, with their counters and without times; proposals by their number. */
  readonly rules?: ReadonlyMap<string, string>;
}

const HOUR = 3_600_000;
const BATCH = /\b\d{6,11}-\d{1,10}\b/g;

export interface StateOptions {
  /** When the steps began, in ms since the epoch. Times are counted in whole hours from then. */
  readonly begun: number;
  /** Fields that are left out. */
  readonly except?: readonly string[];
  /** The folder of the files; it may be missing. */
  readonly made: string;
  /** The folder of the search index, if it is compared. */
  readonly index?: string | undefined;
}

/** Reads the state. */
export async function stateOf(crawl: OpenContext, { begun, except = [], made, index }: StateOptions): Promise<State> {
  const { batches: all } = crawl.tables;
  const states = [...(await all.list()), ...(await all.listUpdated())].map(({ state }) => state);
  // The number of batches that wait for the index depends on how often a crawl was killed, so they count as one.
  const batches = states.filter((state, i) => state !== 'updated' || states.indexOf(state) === i);
  const rows = (await allRows(crawl)).map((row) => [String(row['url']), comparable(row, begun, except)] as const);
  const documents = index === undefined ? new Map<string, string>() : await documentsOf(index, begun);
  return { rows: new Map(rows), batches, files: await filesOf(made), documents, rules: await rulesOf(crawl) };
}

async function rulesOf(crawl: OpenContext): Promise<Map<string, string>> {
  const { rules: listed } = await rules.list(crawl);
  const { proposals = [] } = (await rules.proposals(crawl)) ?? {};
  const said = listed.map(({ id, createdAt: _, changedAt: __, ...rule }) => [id, JSON.stringify(rule)] as const);
  return new Map([...said, ...proposals.map((each) => [`proposal ${each.number}`, JSON.stringify(each)] as const)]);
}

/** The content of each document, without how or when it was indexed. */
async function documentsOf(folder: string, begun: number): Promise<Map<string, string>> {
  const { docs, terms } = await dumpIndex(folder);
  const hours = (time: unknown): string => (time === 0 ? 'unknown' : `${Math.floor((Number(time) - begun) / HOUR)} h`);
  const documents = new Map<string, string>(
    docs.map(({ key, language, fetched, modified, rank, simhash }) => {
      const times = `fetched ${hours(fetched)} modified ${hours(modified)}`;
      // The ranks depend on the ranks they were computed from, up to the tolerance.
      return [
        String(key),
        `${String(language)} ${times} rank ${Number(rank).toPrecision(3)} ${String(simhash)}`,
      ] as const;
    }),
  );
  for (const term of terms) {
    const end = term.indexOf(' ');
    const key = term.slice(0, end);
    documents.set(key, `${documents.get(key) ?? 'without a document'}\n${term.slice(end + 1)}`);
  }
  return documents;
}

/** Includes files that should have been removed, such as a staging folder beside a target. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  if (!existsSync(folder)) return new Map();
  const files = new Map(Object.entries(await fileDigests(folder)));
  for (const path of files.keys()) {
    if (!path.endsWith('manifest.json')) continue;
    const manifest = JSON.parse(await readFile(join(folder, path), 'utf8')) as object;
    files.set(path, JSON.stringify({ ...manifest, began: 0, ended: 0 }));
  }
  return files;
}

/** @param moved milliseconds that the clock is ahead */
export async function withTable<R>(table: string, moved: number, use: (crawl: OpenContext) => Promise<R>): Promise<R> {
  await using crawl = await openContext({
    table: `level:${table}`,
    alone: true,
    waitSeconds: 60,
    clock: () => Date.now() + moved,
  });
  return await use(crawl);
}

/** Names of fields that are times, in a row and in its field `logged`. */
const TIMES = new Set([
  ...['dueAt', 'fetchedAt', 'modifiedAt', 'firstSeenAt', 'changedAt', 'bytesChangedAt', 'duplicateAt'],
  ...['seenAt', 'bodyAt', 'since', 'missingSince'],
]);

function comparable(row: object, begun: number, except: readonly string[]): Record<string, unknown> {
  const text = JSON.stringify(row, (key, value: unknown) => {
    if (except.includes(key) || key === 'date') return undefined;
    if (key === 'content') return createHash('sha256').update(String(value)).digest('hex');
    if (typeof value !== 'number') return value;
    if (TIMES.has(key)) return `${Math.floor((value - begun) / HOUR)} h`;
    // Sums are added in another order.
    return Number.isInteger(value) ? value : Number(value.toFixed(9));
  });
  return JSON.parse(text.replace(BATCH, 'batch')) as Record<string, unknown>;
}

/** Every difference, a line each. */
export function differences(expected: State, found: State): string[] {
  const lines: string[] = [];
  for (const url of new Set([...expected.rows.keys(), ...found.rows.keys()])) {
    const [a, b] = [expected.rows.get(url), found.rows.get(url)];
    if (!a || !b) lines.push(`${url}: ${a ? 'is missing' : 'should not be there'}`);
    for (const field of a && b ? new Set([...Object.keys(a), ...Object.keys(b)]) : []) {
      const [was, is] = [JSON.stringify(a![field]), JSON.stringify(b![field])];
      if (was !== is) lines.push(`${url}: ${field} is ${short(is)}, expected ${short(was)}`);
    }
  }
  for (const path of new Set([...expected.files.keys(), ...found.files.keys()])) {
    const [was, is] = [expected.files.get(path), found.files.get(path)];
    if (was !== is) lines.push(`file ${path} is ${short(is)}, expected ${short(was)}`);
  }
  for (const id of new Set([...(expected.rules?.keys() ?? []), ...(found.rules?.keys() ?? [])])) {
    const [was, is] = [expected.rules?.get(id), found.rules?.get(id)];
    if (was !== is) lines.push(`rule ${id} is ${short(is)}, expected ${short(was)}`);
  }
  for (const key of new Set([...expected.documents.keys(), ...found.documents.keys()])) {
    const [was, is] = [expected.documents.get(key)?.split('\n'), found.documents.get(key)?.split('\n')];
    if (!was || !is) lines.push(`index ${key}: ${was ? 'is missing' : 'should not be there'}`);
    const [more, less] = [is?.filter((each) => !was?.includes(each)), was?.filter((each) => !is?.includes(each))];
    if (was && is && (more!.length > 0 || less!.length > 0))
      lines.push(`index ${key}: has ${short(more!.join(', '))}, expected ${short(less!.join(', '))}`);
  }
  if (String(found.batches) !== String(expected.batches)) {
    lines.push(`open batches: ${String(found.batches)}, expected ${String(expected.batches)}`);
  }
  return lines;
}

/**
 * Counts of repair that are faults: an index of the table may have stale entries, but no missing ones. The search index was
 * compared with the whole table by the last step, so it must have neither.
 */
export const faults = (repaired: Report['counters']): string[] =>
  Object.entries(repaired)
    .filter(([reason]) => reason !== 'rows' && (reason === 'stale_index' || !reason.startsWith('stale_')))
    .map(([reason, count]) => `repair: ${reason} ${count}`);

const short = (text: string | undefined): string => (text === undefined ? 'absent' : text.slice(0, 300));
