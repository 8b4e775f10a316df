import { STATUSES, type PageRow, type PrefixFigures, type Status } from '../../core/index.js';

export const COUNTED_FIELDS = ['status', 'relevant', 'duplicateOf', 'retries', 'bodyBytes', 'fetchMs'] as const;
export type CountedRow = PageRow<(typeof COUNTED_FIELDS)[number]>;

/** Running figures of a set of rows. There are many sets, and each row changes some of them. An array is fastest for this. */
export type Sums = number[];

const ROWS = 0;
const RELEVANT = 1;
const DUPLICATES = 2;
const ERRORS = 3;
const BYTES = 4;
const FETCH_MS = 5;
const FIRST_STATUS = 6;
const PLACES = Object.fromEntries(STATUSES.map((status, i) => [status, FIRST_STATUS + i])) as Record<Status, number>;
const LENGTH = FIRST_STATUS + STATUSES.length;

export const newSums = (): Sums => new Array<number>(LENGTH).fill(0);

export const rowsIn = (sums: Sums): number => sums[ROWS]!;

export function addRow(sums: Sums, row: CountedRow): void {
  const { status, retries = 0, bodyBytes, fetchMs } = row;
  sums[ROWS]! += 1;
  if (status !== undefined) sums[PLACES[status]]! += 1;
  if (row.relevant === true) sums[RELEVANT]! += 1;
  if (row.duplicateOf !== undefined) sums[DUPLICATES]! += 1;
  if (retries > 0 || status === 'gone' || status === 'retry') sums[ERRORS]! += 1;
  if (bodyBytes !== undefined) sums[BYTES]! += bodyBytes;
  if (fetchMs !== undefined) sums[FETCH_MS]! += fetchMs;
}

export function addSums(into: Sums, sums: Sums): void {
  for (let i = 0; i < LENGTH; i++) into[i]! += sums[i]!;
}

export function figuresOf(sums: Sums): PrefixFigures {
  return {
    rows: sums[ROWS]!,
    statuses: Object.fromEntries(
      STATUSES.flatMap((status) => {
        const rows = sums[PLACES[status]]!;
        return rows > 0 ? [[status, rows]] : [];
      }),
    ),
    relevant: sums[RELEVANT]!,
    duplicates: sums[DUPLICATES]!,
    errors: sums[ERRORS]!,
    bytes: sums[BYTES]!,
    fetchMs: sums[FETCH_MS]!,
  };
}
