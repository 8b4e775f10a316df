import { urlOf } from '../../core/index.js';
import { MARKS } from '../facts/facts.js';
import { IN_FACTS, MIXED, REL, leadsToPage } from '../facts/kinds.js';
import type { Target } from '../rule.js';
import { verdictOf, type Verdict } from '../verdict.js';
import type { AlternatePairs } from './alternate-pairs.js';
import type { LinkStore } from './link-store.js';
import { RECORD, readJson, readLink, readRow, type ResponseNote, type HostNote, type RowRecord } from './records.js';
import { ROW, type RowTable } from './row-table.js';
import type { Scanned } from './scan.js';
import { NO_SOURCES, Sources } from './sources.js';

const MAX_FRAGMENTS_PER_TARGET = 2_000;
/** Prefix of a link that is not a URL. */
const BAD = '\u0001';
const NO_HOST: HostNote = { pages: 0, seeds: 0, sitemaps: [], unreadSitemaps: 0, alternates: false };
/** Milliseconds that must lie between the first and the last failure in succession. Then the target counts as broken. */
const APART = { own: 60_000, other: 24 * 3_600_000, soon: 5 * 60_000 };

interface TargetsInput {
  readonly rows: RowTable;
  readonly links?: LinkStore;
  /** Gets pairs of pages: the first one names the second one as its version in another language. */
  readonly pairs?: AlternatePairs;
}

/** A target with its records, or a link that is not a URL, as `<fault>: <link as written>`. */
export type JoinedTarget =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'bad_link'; readonly text: string; readonly sources: Sources };

/** Joins the records of each target, in key order. The links of a target are stored until the next target is read. */
export async function* joinTargets(
  { records }: Pick<Scanned, 'records'>,
  { rows, links, pairs }: TargetsInput,
): AsyncGenerator<JoinedTarget> {
  let draft: TargetDraft | undefined;
  let host: { readonly start: string; readonly note: HostNote } = { start: '', note: NO_HOST };
  for await (const group of records.joined()) {
    for (const { key, isFirst, type, content } of group) {
      if (isFirst && draft) {
        yield draft.end();
        await links?.endTarget();
        draft = undefined;
      }
      if (type === RECORD.host) {
        host = { start: key, note: readJson<HostNote>(content) };
        continue;
      }
      if (!draft) {
        if (!key.startsWith(host.start)) host = { start: '', note: NO_HOST };
        draft = new TargetDraft(key, host.note, rows);
      }
      const to = draft.add(type, content);
      const wait = to.length > 0 ? links?.add(content, to) : undefined;
      if (wait) await wait;
      if (type !== RECORD.alternate || draft.row === undefined || !pairs) continue;
      const { source } = readLink(content);
      if (source === draft.row || host.note.alternates) continue;
      await pairs.add(source, draft.row);
      // A page with more versions than are stored may name this one too.
      if (draft.marks & MARKS.cutAlternates) await pairs.add(draft.row, source);
    }
  }
  if (draft) {
    yield draft.end();
    await links?.endTarget();
  }
}

class TargetDraft {
  readonly #key: string;
  readonly #host: HostNote;
  readonly #rows: RowTable;
  readonly #sources = new Map<number, Sources>();
  readonly #parts = new Sources();
  readonly #mixed = new Sources();
  readonly #fragments = new Map<string, Sources>();
  #row: RowRecord | undefined;
  #response: ResponseNote | undefined;
  #isNamed = false;

  constructor(key: string, host: HostNote, rows: RowTable) {
    this.#key = key;
    this.#host = host;
    this.#rows = rows;
  }

  get row(): number | undefined {
    return this.#row?.row;
  }

  get marks(): number {
    return this.#row?.marks ?? 0;
  }

  /** @returns the sources to which the link is added */
  add(type: number, content: Buffer): readonly Sources[] {
    if (type === RECORD.row) {
      this.#row = readRow(content);
      return [];
    }
    if (type === RECORD.response) {
      this.#response = readJson<ResponseNote>(content);
      return [];
    }
    const link = readLink(content);
    if (link.rel & IN_FACTS) this.#isNamed = true;
    if (type === RECORD.named) return [];
    const followed = (link.rel & REL.nofollow) === 0;
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
    if (fragment !== '' && (this.#fragments.has(fragment) || this.#fragments.size < MAX_FRAGMENTS_PER_TARGET)) {
      const sources = getOrMake(this.#fragments, fragment);
      sources.add(link, this.#rows, followed);
      to.push(sources);
    }
    return to;
  }

  end(): JoinedTarget {
    if (!this.#key.startsWith(BAD)) return { kind: 'target', target: this.#target() };
    const text = Buffer.from(this.#key.slice(1), 'latin1').toString();
    return { kind: 'bad_link', text, sources: this.#sources.get(RECORD.link) ?? NO_SOURCES };
  }

  #target(): Target {
    const host = this.#host;
    const rows = this.#rows;
    const row = this.#row;
    const response = this.#response;
    const ofRow = row && rows.verdict(row.row);
    const useResponse =
      response !== undefined && (ofRow === undefined || ofRow === 'unchecked' || isNewer(response, row, rows));
    const found: Verdict = useResponse ? verdictOf(response) : (ofRow ?? 'unchecked');
    // The audit follows redirects, so a good response may be that of another page.
    const verdict = found === 'ok' && useResponse && response.to !== undefined ? 'redirect' : found;
    const isInternal = host.pages > 0 || host.seeds > 0;
    const of = (type: number): Sources => this.#sources.get(type) ?? NO_SOURCES;
    return {
      url: urlOf(this.#key),
      row: row?.row,
      isNamed: this.#isNamed,
      isInternal,
      host,
      verdict,
      http: useResponse ? (response.http ?? 0) : row ? rows.http(row.row) : 0,
      isTwice: isTwice(response, row, rows, isInternal),
      ending: row?.ending,
      response,
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
function isNewer(response: ResponseNote, row: RowRecord | undefined, rows: RowTable): boolean {
  return row !== undefined && rows.verdict(row.row) === 'failing' && response.at > rows.requestedAt(row.row);
}

function isTwice(
  response: ResponseNote | undefined,
  row: RowRecord | undefined,
  rows: RowTable,
  isInternal: boolean,
): boolean {
  if (row && rows.is(row.row, ROW.twice)) return true;
  const failures = [...(response?.failures ?? [])];
  // In whole seconds, because the timer that waits for the next request may end a millisecond early.
  if (row && rows.verdict(row.row) === 'failing') failures.push(Math.floor(rows.requestedAt(row.row) / 1000) * 1000);
  failures.sort((a, b) => a - b);
  const span = failures.length < 2 ? 0 : failures[failures.length - 1]! - failures[0]!;
  if (isInternal) return span >= APART.own;
  return span >= APART.other || (failures.length > 2 && span >= 2 * APART.soon);
}
