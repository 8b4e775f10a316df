/** What every job takes. */
export interface JobOptions {
  /** When it aborts, the job starts nothing more, ends what is in flight and returns its report. */
  readonly signal?: AbortSignal;
  /** Called at most a few times a second. */
  readonly onProgress?: (progress: Progress) => void;
}

/** How far a job has got. */
export interface Progress {
  readonly job: string;
  readonly batchId?: string;
  /** The round of a crawl, from 1 on; 0 while it injects and finishes what was left open. */
  readonly round?: number;
  /** Rows done so far. */
  readonly done: number;
  /** Rows to do, where it is known. */
  readonly total?: number;
  readonly counters: Readonly<Record<string, number>>;
}

/** What every job returns. */
export interface Report {
  readonly job: string;
  readonly batchId?: string;
  readonly seconds: number;
  /** How many rows or links, by what became of them. Zero counts are left out. */
  readonly counters: Readonly<Record<string, number>>;
  /** The signal ended it before all was done; the same call goes on from here. */
  readonly interrupted?: boolean;
}
