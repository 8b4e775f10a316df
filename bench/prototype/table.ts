import { renameSync, rmSync, writeFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { rowKeyOf } from '../../webtable/index.js';
import { ByteReader, ByteWriter } from './bytes.js';
import { readFields, writeFields } from './group.js';
import { journalPath } from './journal.js';
import type { Row, RoundChanges } from './rows.js';

/** Rows that are put in one call. */
const BATCH = 4096;
/** As the table of webcrawl has them. */
const OPTIONS = { keyEncoding: 'utf8', valueEncoding: 'view', writeBufferSize: 32 * 2 ** 20 } as const;
/** The score of a link: nothing is reckoned. */
const SCORE = 1;
const RUN = /^inlinks-(\d+)$/;

/** The database of the rows. */
export type RowDatabase = Level<string, Uint8Array>;

/** Opens the database in a folder, a new one where there is none. */
export async function openDatabase(folder: string): Promise<RowDatabase> {
  const database = new Level<string, Uint8Array>(join(folder, 'rows'), OPTIONS);
  await database.open();
  return database;
}

/** What writing rounds took. */
export interface RoundWork {
  /** Rows that were put into the database. */
  puts: number;
  /** Calls that put them. */
  batches: number;
  putBytes: number;
  /** Links in the runs. */
  inlinks: number;
  runBytes: number;
}

/**
 * Writes what a round has changed: each row once, in order of keys, and its links as one run sorted by target and source.
 * Only then is its journal removed. Until the first await it has encoded all, so rows may change again after that.
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

/** Puts rows, in order of keys, as they are when it is called. */
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

/** Rows in order of their keys; each notes its place among them. */
export function sortByKey(rows: readonly Row[]): Row[] {
  for (const row of rows) if (row.key === '') row.key = rowKeyOf(row.url);
  const sorted = [...rows].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const [rank, row] of sorted.entries()) row.rank = rank;
  return sorted;
}

/** The last round of which a run of inlinks is there; -1 where there is none. */
export function lastRound(folder: string): number {
  return readdirSync(folder).reduce((last, name) => Math.max(last, Number(RUN.exec(name)?.[1] ?? -1)), -1);
}

/** @returns the length of all that was written */
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

/** Reads a row that {@link writeRound} has put. @returns its URL, and what fills the rest */
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

/** Of each row that is linked to its key and the number of links; then of each link the key of its source, score and anchor. */
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

/** A link as a run of inlinks has it. */
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
