import { isRedirect, tryRowKeyOf, type KeyRange, type Count } from '../core/index.js';
import { checkCount } from './adjacency.js';
import { createKeyFile, createKeyJoin, growingArray, numberRows, type KeyJoin } from '../scan/index.js';
import type { LinkRow } from './link-rows.js';
import { KIND, isAlias } from './resolve.js';

export interface ScannedRows {
  /** The file of all row keys, in order. */
  readonly keys: string;
  /** The file of all hosts, in the form of row keys, in the order of their rows. */
  readonly hosts: string;
  readonly hostStarts: Uint32Array;
  readonly kinds: Uint8Array;
  /** Looks up the targets of redirects, refreshes and canonicals. */
  readonly aliases: KeyJoin;
  readonly links: KeyJoin;
}

/** Options of the scan. */
export interface GraphInput {
  /** An existing folder for the files of the scan. */
  readonly folder: string;
  /** true: redirects and canonicals are not resolved. */
  readonly raw: boolean;
  /** The key ranges of the rows. Links to rows outside these ranges are counted as outside. Absent: all rows. */
  readonly ranges?: readonly KeyRange[];
  /** Bytes of memory for sorting. */
  readonly memory: number;
  readonly count: Count;
  /** Called after each row. */
  readonly onRow?: () => void;
  /** When it aborts, the scan ends with the reason of the signal. */
  readonly signal?: AbortSignal;
}

/**
 * @param rows in key order, without repeated keys
 * @throws CrawlError STORE_FULL; BAD_OUTPUT, also for more rows than a graph can number
 */
export async function scanRows(
  rows: AsyncIterable<LinkRow> | Iterable<LinkRow>,
  { folder, raw, ranges, memory, count, onRow, signal }: GraphInput,
): Promise<ScannedRows> {
  const kinds = growingArray(Uint8Array);
  const hostStarts = growingArray(Uint32Array);
  const aliases = createKeyJoin(folder, Math.floor(memory / 4));
  const links = createKeyJoin(folder, memory);
  const keys = `${folder}/keys`;
  const hosts = `${folder}/hosts`;
  await using keyFile = await createKeyFile(keys);
  await using hostFile = await createKeyFile(hosts);
  let linkCount = 0;

  /** Returns the key of a URL that may be in the graph. Undefined for any other URL, which is counted. */
  const keyOf = (url: string): string | undefined => {
    const key = tryRowKeyOf(url);
    if (key !== undefined && isWithin(ranges, key)) return key;
    count(key === undefined ? 'links_invalid' : 'links_outside');
    return undefined;
  };

  for await (const { row, number, newHost } of numberRows(rows, keyFile, { onRow, signal })) {
    checkCount(number + 1, 'rows');
    if (newHost !== undefined) {
      hostStarts.push(number);
      await hostFile.add(newHost);
    }
    const alias = aliasOf(row);
    const kind = kindOf(row, alias, raw);
    kinds.push(kind);
    if (alias !== undefined && isAlias(kind)) {
      const key = keyOf(alias);
      if (key !== undefined) await aliases.add(key, number);
    }
    linkCount += row.links.length;
    if (kind === KIND.gone || kind === KIND.redirect) {
      count(kind === KIND.gone ? 'links_of_gone' : 'links_of_redirects', row.links.length);
      continue;
    }
    const targets = raw && row.redirectTarget !== undefined ? [...row.links, row.redirectTarget] : row.links;
    for (const url of targets) {
      const key = keyOf(url);
      const wait = key === undefined ? undefined : links.add(key, number);
      if (wait) await wait;
    }
  }
  count('scanned', kinds.length);
  count('links', linkCount);
  await hostFile.flush();
  return { keys, hosts, hostStarts: hostStarts.values(), kinds: kinds.values(), aliases, links };
}

/** Returns the URL of the page that a row names in its place. */
function aliasOf({ key, redirectTarget, canonical }: LinkRow): string | undefined {
  const named = redirectTarget ?? canonical;
  return named === undefined || tryRowKeyOf(named) === key ? undefined : named;
}

function kindOf({ status }: LinkRow, alias: string | undefined, raw: boolean): number {
  if (status === 'gone') return KIND.gone;
  if (isRedirect(status)) return raw ? KIND.fetched : KIND.redirect;
  if (status !== 'fetched' && status !== 'notmodified') return KIND.known;
  return alias === undefined || raw ? KIND.fetched : KIND.alternate;
}

function isWithin(ranges: readonly KeyRange[] | undefined, key: string): boolean {
  return !ranges || ranges.some(({ start, end }) => key >= start && (end === undefined || key < end));
}
