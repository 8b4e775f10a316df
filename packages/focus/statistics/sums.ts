import { STATUSES, type PageRow, type PrefixFigures, type Status } from '../../../webtable/index.js';

/** What a row is counted by. All of it is in the hot family. */
export const COUNTED_FIELDS = ['status', 'fit', 'duplicateOf', 'retries', 'bodyBytes', 'fetchMs'] as const;
/** A row with what it is counted by. */
export type CountedRow = PageRow<(typeof COUNTED_FIELDS)[number]>;

/** Figures while they grow. Of these there are many, and each row adds to some: an array is what that is fastest with. */
export type Sums = number[];

const ROWS = 0;
const FIT = 1;
const DUPLICATES = 2;
const ERRORS = 3;
const BYTES = 4;
const FETCH_MS = 5;
const FIRST_STATUS = 6;
const PLACES = Object.fromEntries(STATUSES.map((status, i) => [status, FIRST_STATUS + i])) as Record<Status, number>;
const LENGTH = FIRST_STATUS + STATUSES.length;

/** Sums of nothing. */
export const newSums = (): Sums => new Array<number>(LENGTH).fill(0);

/** How many rows they are of. */
export const rowsIn = (sums: Sums): number => sums[ROWS]!;

/** Adds a row. */
export function addRow(sums: Sums, row: CountedRow): void {
  const { status, retries = 0, bodyBytes, fetchMs } = row;
  sums[ROWS]! += 1;
  if (status !== undefined) sums[PLACES[status]]! += 1;
  if (row.fit === true) sums[FIT]! += 1;
  if (row.duplicateOf !== undefined) sums[DUPLICATES]! += 1;
  if (retries > 0 || status === 'gone' || status === 'retry') sums[ERRORS]! += 1;
  if (bodyBytes !== undefined) sums[BYTES]! += bodyBytes;
  if (fetchMs !== undefined) sums[FETCH_MS]! += fetchMs;
}

/** Adds sums to others. */
export function addSums(into: Sums, sums: Sums): void {
  for (let i = 0; i < LENGTH; i++) into[i]! += sums[i]!;
}

/** As they are stored and read. */
export function figuresOf(sums: Sums): PrefixFigures {
  return {
    rows: sums[ROWS]!,
    statuses: Object.fromEntries(
      STATUSES.flatMap((status) => {
        const rows = sums[PLACES[status]]!;
        return rows > 0 ? [[status, rows]] : [];
      }),
    ),
    fit: sums[FIT]!,
    duplicates: sums[DUPLICATES]!,
    errors: sums[ERRORS]!,
    bytes: sums[BYTES]!,
    fetchMs: sums[FETCH_MS]!,
  };
}
