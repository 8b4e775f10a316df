import { growingArray, NONE } from '../../scan/index.js';
import { VERDICTS, VERDICT, type Verdict } from '../verdict.js';

/** The data of each row except its key, by row number. A row takes 38 bytes. */
export interface RowNote {
  readonly verdict: Verdict;
  readonly http: number;
  readonly flags: number;
  /** The rank of the page divided by the number of its links; 0: the page has no rank. */
  readonly share: number;
  /** When the content of the page last changed, in ms since the epoch; 0: unknown. */
  readonly changedAt: number;
  /** When the bytes of the page last changed, in ms since the epoch; 0: unknown. */
  readonly bytesChangedAt: number;
  /** When the page was last requested, in ms since the epoch; 0: never. */
  readonly requestedAt: number;
}

export const ROW = {
  page: 1,
  /** The page may be shown by a search engine. */
  indexable: 2,
  noindex: 4,
  denied: 8,
  notCanonical: 16,
  /** The page is of a type that cannot be read, such as XML that is neither a sitemap nor a feed. */
  unsupported: 32,
  permanent: 64,
  facts: 128,
  /** Two successive requests failed, at least a minute apart. */
  twice: 256,
  /** The URL returned a page earlier. */
  wasPage: 512,
  seed: 1024,
  toItself: 2048,
  html: 4096,
  /** robots.txt or a sitemap index names this URL as a sitemap. */
  namedSitemap: 8192,
} as const;

export type RowTable = ReturnType<typeof createRowTable>;

/** Maximum number of redirects to follow; a longer chain counts as a loop. */
const MAX_HOPS = 10;

export interface Chain {
  /** The rows of the chain from the first on, without the last one. */
  readonly hops: readonly number[];
  /** The last row of the chain. Undefined: it is unknown, or does not exist. */
  readonly end: number | undefined;
  readonly isLoop: boolean;
}

export function createRowTable() {
  const verdicts = growingArray(Uint8Array);
  const https = growingArray(Uint16Array);
  const flags = growingArray(Uint16Array);
  const shares = growingArray(Float32Array);
  const changed = growingArray(Uint32Array);
  const bytesChanged = growingArray(Uint32Array);
  const requested = growingArray(Float64Array);
  let next: Uint32Array = new Uint32Array(0);

  return {
    add(note: RowNote): void {
      verdicts.push(VERDICT[note.verdict]);
      https.push(note.http);
      flags.push(note.flags);
      shares.push(note.share);
      changed.push(Math.floor(note.changedAt / 1000));
      bytesChanged.push(Math.floor(note.bytesChangedAt / 1000));
      requested.push(note.requestedAt);
    },
    get length(): number {
      return verdicts.length;
    },
    /** Sets the target of each redirect. Call it once, after all rows were added. */
    setRedirects(targets: Uint32Array): void {
      next = targets;
    },
    verdict: (row: number): Verdict => VERDICTS[verdicts.at(row)]!,
    http: (row: number): number => https.at(row),
    is: (row: number, flag: number): boolean => (flags.at(row) & flag) !== 0,
    unset(row: number, flag: number): void {
      flags.values()[row]! &= ~flag;
    },
    share: (row: number): number => shares.at(row),
    changedAt: (row: number): number => changed.at(row) * 1000,
    bytesChangedAt: (row: number): number => bytesChanged.at(row) * 1000,
    requestedAt: (row: number): number => requested.at(row),
    chainOf(first: number): Chain {
      const hops: number[] = [];
      let row = first;
      while (row !== NONE && verdicts.at(row) === VERDICT.redirect) {
        if (hops.includes(row) || hops.length > MAX_HOPS || flags.at(row) & ROW.toItself) {
          return { hops: hops.includes(row) ? hops : [...hops, row], end: undefined, isLoop: true };
        }
        hops.push(row);
        row = next[row] ?? NONE;
      }
      return { hops, end: row === NONE ? undefined : row, isLoop: false };
    },
  };
}
