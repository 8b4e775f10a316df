import { renameSync, rmSync, writeFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { rowKeyOf } from '../../webtable/index.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { readFields, writeFields } from './group.js';
import { journalPath } from './journal.js';
import type { Row, RoundChanges } from './rows.js';

/** Number of rows that are put in one call. */
const BATCH = 4096;
/** As in the table of webcrawl. */
const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view', writeBufferSize: 32 * 2 ** 20 } as const;
/** The score of a link: a constant. */
const SCORE = 1;
const RUN = /^inlinks-(\d+)$/;

/** The database of the rows. */
export type RowDatabase = Level<string, Uint8Array>;

/** Opens the database in a folder, and creates it if missing. */
export async function openDatabase(folder: string): Promise<RowDatabase> {
  const database = new Level<string, Uint8Array>(join(folder, 'rows'), OPTIONS);
  await database.open();
  return database;
}

/** The cost of writing rounds. */
export interface RoundWork {
  /** Number of rows that were put into the database. */
  puts: number;
  /** Number of calls that put them. */
  batches: number;
  putBytes: number;
  /** Number of links in the runs. */
  inlinks: number;
  runBytes: number;
}

/**
 * Writes the changes of a round: each row once, in key order, and its links as one run, sorted by target and source. Only then is its
 * journal removed. Everything is encoded before the first await, so rows may change again after it.
 */
export async function writeRound(
  database: RowDatabase,
  folder: string,
  round: number,
  { rows, inlinks }: RoundChanges,
  all: readonly Row[],
  work: RoundWork,
): Promise<void> {
  const sorted = sortByKey(rows);
  const written = putRows(database, sorted, work);
  const run = encodeRun(sorted.length, inlinks, all);
  work.inlinks += inlinks.length;
  work.runBytes += run.length;
  await written;
  const path = join(folder, `inlinks-${round}`);
  writeFileSync(`${path}.part`, run);
  renameSync(`${path}.part`, path);
  rmSync(journalPath(folder, round), { force: true });
}

/** Puts rows in key order, in their state at the time of the call. */
export async function putRows(database: RowDatabase, rows: readonly Row[], work: RoundWork): Promise<void> {
  const values = new ByteWriter(128 * (rows.length + 1));
  const ends = rows.map((row) => encodeRow(row, values));
  const bytes = values.view();
  for (let from = 0; from < rows.length; from += BATCH) {
    const batch = database.batch();
    const to = Math.min(rows.length, from + BATCH);
    for (let i = from; i < to; i++) batch.put(rows[i]!.key, bytes.subarray(i === 0 ? 0 : ends[i - 1], ends[i]));
    await batch.write();
    work.batches++;
  }
  work.puts += rows.length;
  work.putBytes += rows.reduce((sum, { key }) => sum + key.length, bytes.length);
}

/** Sorts rows by key, and sets the rank of each. */
export function sortByKey(rows: readonly Row[]): Row[] {
  for (const row of rows) if (row.key === '') row.key = rowKeyOf(row.url);
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const [rank, row] of sorted.entries()) row.rank = rank;
  return sorted;
}

/** The last round with a run of inlinks; -1: none. */
export function lastRound(folder: string): number {
  return readdirSync(folder).reduce((last, name) => Math.max(last, Number(RUN.exec(name)?.[1] ?? -1)), -1);
}

/** @returns the length of the written bytes */
function encodeRow(row: Row, to: ByteWriter): number {
  to.ascii(row.url);
  to.varint(row.round + 1);
  writeFields(to, row);
  to.varint(Number.isFinite(row.distance) ? row.distance + 1 : 0);
  to.varint(row.inlinks);
  to.varint(row.outlinks);
  to.ascii(row.redirect);
  return to.length;
}

/** Reads a row that {@link writeRound} has put. @returns its URL, and a function that fills the other fields */
export function decodeRow(value: Uint8Array): { url: string; fill: (row: Row) => void } {
  const from = new ByteReader(Buffer.from(value.buffer, value.byteOffset, value.length));
  return {
    url: from.ascii(),
    fill(row) {
      row.round = from.varint() - 1;
      Object.assign(row, readFields(from));
      row.distance = (from.varint() || Infinity) - 1;
      row.inlinks = from.varint();
      row.outlinks = from.varint();
      row.redirect = from.ascii();
    },
  };
}

/** For each linked row its key and its number of links; then for each link the key of its source, its score and its anchor. */
function encodeRun(ranks: number, inlinks: RoundChanges['inlinks'], all: readonly Row[]): Uint8Array {
  const sorted = inlinks.sorted(ranks, (number) => all[number]!.rank);
  const to = new ByteWriter(64 * (sorted.length + 1));
  for (let first = 0, next = 0; first < sorted.length; first = next) {
    const target = inlinks.target(sorted[first]!);
    while (next < sorted.length && inlinks.target(sorted[next]!) === target) next++;
    to.ascii(all[target]!.key);
    to.varint(next - first);
    for (let i = first; i < next; i++) {
      const anchor = inlinks.anchor(sorted[i]!);
      to.ascii(all[inlinks.source(sorted[i]!)]!.key);
      to.double(SCORE);
      to.varint(anchor.length);
      to.bytes(anchor);
    }
  }
  return to.view();
}

/** A link in a run of inlinks. */
export interface StoredInlink {
  readonly target: string;
  readonly source: string;
  readonly anchor: string;
}

/** All links of a run of inlinks, in order. */
export function* readRun(folder: string, round: number): Generator<StoredInlink> {
  const bytes = readFileSync(join(folder, `inlinks-${round}`));
  const from = new ByteReader(bytes);
  while (from.at < bytes.length) {
    const target = from.ascii();
    for (let left = from.varint(); left > 0; left--) {
      const source = from.ascii();
      from.double();
      yield { target, source, anchor: from.text() };
    }
  }
}
