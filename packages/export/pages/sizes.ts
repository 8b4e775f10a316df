/** How much an export writes before a kill cannot take it any more. */
export interface ExportSizes {
  /** Characters of text between two checkpoints. */
  readonly checkpoint: number;
  /** Hosts between two checkpoints, where each has a file. */
  readonly hosts: number;
  /** Rows, and about bytes of values, of one Parquet file of a folder. */
  readonly parquetRows: number;
  readonly parquetBytes: number;
}

/** The sizes of every export but those of tests. */
export const SIZES: ExportSizes = {
  checkpoint: 67_108_864,
  hosts: 1000,
  parquetRows: 1_000_000,
  parquetBytes: 268_435_456,
};
