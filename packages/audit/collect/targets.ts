import { urlOf } from '../../core/index.js';
import { MARKS } from '../facts/facts.js';
import { MIXED, leadsToPage } from '../facts/kinds.js';
import type { Target } from '../rule.js';
import { verdictOf, type Verdict } from '../verdict.js';
import type { LinkStore } from './link-store.js';
import {
  RECORD,
  readJson,
  readLink,
  readRecord,
  readRow,
  type AskedNote,
  type HostNote,
  type RowRecord,
} from './records.js';
import { ROW, type RowTable } from './row-table.js';
import { isNofollow, type Scanned } from './scan.js';
import { NO_SOURCES, Sources } from './sources.js';

/** Maximum number of fragments of one target that are judged. */
const MOST_FRAGMENTS = 2_000;
/** Prefix of a link that is not a URL. */
export const BAD = '\u0001';
const NO_HOST: HostNote = { pages: 0, seeds: 0, sitemaps: [], unreadSitemaps: 0, alternates: false };
/** Milliseconds that must lie between the first and the last failure in succession. Then the target counts as broken. */
const APART = { own: 60_000, other: 24 * 3_600_000, soon: 5 * 60_000 };

/** Two pages. The first names the second as its version in another language. */
interface AlternatePair {
  readonly from: number;
  readonly to: number;
}

interface TargetsInput {
  readonly rows: RowTable;
  readonly links: LinkStore;
  readonly onTarget: (target: Target) => Promise<void> | void;
  readonly onAlternate: (pair: AlternatePair) => Promise<void> | void;
  /** Called for a link that is not a URL, with `<fault>: <link as written>`. */
  readonly onBad: (text: string, sources: Sources) => Promise<void>;
}

/** Brings the records of each target together, in key order. */
export async function joinTargets({ records }: Pick<Scanned, 'records'>, input: TargetsInput): Promise<void> {
  const { rows, links, onTarget, onAlternate, onBad } = input;
  let target: TargetDraft | undefined;
  let key = Buffer.alloc(0);
  let host: { readonly start: string; readonly note: HostNote } = { start: '', note: NO_HOST };

  const end = async (): Promise<void> => {
    if (!target) return;
    const text = key.toString('latin1');
    if (text.startsWith(BAD)) await onBad(Buffer.from(text.slice(1), 'latin1').toString(), target.links);
    else {
      if (!text.startsWith(host.start) || host.start === '') host = { start: '', note: NO_HOST };
      await onTarget(target.end(urlOf(text), host.note, rows));
    }
    await links.endTarget();
  };

  for await (const group of records.groups()) {
    for (const record of group) {
      const { keyEnd, type } = readRecord(record);
      if (type === RECORD.host) {
        await end();
        target = undefined;
        host = { start: record.toString('latin1', 0, keyEnd), note: readJson<HostNote>(record, keyEnd) };
        continue;
      }
      if (!target || keyEnd !== key.length || record.compare(key, 0, keyEnd, 0, keyEnd) !== 0) {
        await end();
        target = new TargetDraft(rows);
        key = Buffer.from(record.subarray(0, keyEnd));
      }
      const to = target.add(type, record, keyEnd);
      const wait = to.length > 0 ? links.add(record, keyEnd, to) : undefined;
      if (wait) await wait;
      if (type !== RECORD.alternate || target.row === undefined) continue;
      const { source } = readLink(record, keyEnd);
      if (source === target.row || host.note.alternates) continue;
      await onAlternate({ from: source, to: target.row });
      // A page with more versions than are stored may name this one too.
      if (target.marks & MARKS.cutAlternates) await onAlternate({ from: target.row, to: source });
    }
  }
  await end();
}

/** Collects the data of one target while its records are read. */
class TargetDraft {
  readonly #rows: RowTable;
  readonly #sources = new Map<number, Sources>();
  readonly #parts = new Sources();
  readonly #mixed = new Sources();
  readonly #fragments = new Map<string, Sources>();
  #row: RowRecord | undefined;
  #asked: AskedNote | undefined;

  constructor(rows: RowTable) {
    this.#rows = rows;
  }

  get row(): number | undefined {
    return this.#row?.row;
  }

  /** Flags of `MARKS`. */
  get marks(): number {
    return this.#row?.marks ?? 0;
  }

  get links(): Sources {
    return this.#sources.get(RECORD.link) ?? NO_SOURCES;
  }

  /** @returns the sources to which the link is added */
  add(type: number, record: Buffer, keyEnd: number): readonly Sources[] {
    if (type === RECORD.row) {
      this.#row = readRow(record, keyEnd);
      return [];
    }
    if (type === RECORD.asked) {
      this.#asked = readJson<AskedNote>(record, keyEnd);
      return [];
    }
    const link = readLink(record, keyEnd);
    const followed = !isNofollow(link.rel);
    const isMixed = type === RECORD.link && (link.rel & MIXED) !== 0;
    if (type === RECORD.link && !leadsToPage(link.kind)) {
      const parts = isMixed ? [this.#parts, this.#mixed] : [this.#parts];
      for (const sources of parts) sources.add(link, this.#rows);
      return parts;
    }
    const to: Sources[] = isMixed ? [this.#mixed] : [];
    // A link of a page to itself does not count as a source.
    if (link.source !== this.row) to.push(getOrMake(this.#sources, type));
    for (const sources of to) sources.add(link, this.#rows, followed);
    const { fragment } = link;
    if (fragment !== '' && (this.#fragments.has(fragment) || this.#fragments.size < MOST_FRAGMENTS)) {
      const sources = getOrMake(this.#fragments, fragment);
      sources.add(link, this.#rows, followed);
      to.push(sources);
    }
    return to;
  }

  end(url: string, host: HostNote, rows: RowTable): Target {
    const row = this.#row;
    const asked = this.#asked;
    const ofRow = row && rows.verdict(row.row);
    const useAsked = asked !== undefined && (ofRow === undefined || ofRow === 'unchecked' || isNewer(asked, row, rows));
    const found: Verdict = useAsked ? verdictOf(asked) : (ofRow ?? 'unchecked');
    // The audit follows redirects, so a good answer may be that of another page.
    const verdict = found === 'ok' && useAsked && asked.to !== undefined ? 'redirect' : found;
    const isInternal = host.pages > 0 || host.seeds > 0;
    const of = (type: number): Sources => this.#sources.get(type) ?? NO_SOURCES;
    return {
      url,
      row: row?.row,
      isInternal,
      host,
      verdict,
      http: useAsked ? (asked.http ?? 0) : row ? rows.http(row.row) : 0,
      isTwice: isTwice(asked, row, rows, isInternal),
      ending: row?.ending,
      asked,
      marks: this.marks,
      ids: row?.ids ?? new Uint32Array(0),
      ownPlaces: row?.ownPlaces ?? 0,
      links: of(RECORD.link),
      parts: this.#parts,
      mixed: this.#mixed,
      fragments: this.#fragments,
      canonicals: of(RECORD.canonical),
      alternates: of(RECORD.alternate),
      listed: of(RECORD.listed),
      redirects: of(RECORD.redirect),
      duplicates: of(RECORD.duplicate),
    };
  }
}

function getOrMake<K>(all: Map<K, Sources>, key: K): Sources {
  let found = all.get(key);
  if (!found) all.set(key, (found = new Sources()));
  return found;
}

/** Whether the last request of the crawl failed, and an audit has made a request after it. */
function isNewer(asked: AskedNote, row: RowRecord | undefined, rows: RowTable): boolean {
  return row !== undefined && rows.verdict(row.row) === 'failing' && asked.at > rows.askedAt(row.row);
}

function isTwice(
  asked: AskedNote | undefined,
  row: RowRecord | undefined,
  rows: RowTable,
  isInternal: boolean,
): boolean {
  if (row && rows.is(row.row, ROW.twice)) return true;
  const failures = [...(asked?.failures ?? [])];
  if (row && rows.verdict(row.row) === 'failing') failures.push(rows.askedAt(row.row));
  failures.sort((a, b) => a - b);
  const span = failures.length < 2 ? 0 : failures[failures.length - 1]! - failures[0]!;
  if (isInternal) return span >= APART.own;
  return span >= APART.other || (failures.length > 2 && span >= 2 * APART.soon);
}
