import { rowKeyOf, type ChangeKind, type CrawlContext } from '../core/index.js';
import { readChanges } from '../changes/index.js';
import { ROW, type RowTable } from './collect/row-table.js';
import type { Sources } from './collect/sources.js';
import { hasPlace, withoutText } from './facts/places.js';
import { createPast, type Past, type PastPage, type Relation } from './past.js';
import type { AuditFinding } from './report.js';
import type { AuditRow, AuditedPage, Found, Group, Rule, Site, Target } from './rule.js';

/** Whether a finding is new; `unknown` if the version of that moment is not stored, or the target was not requested before it. */
export type Newness = AuditFinding['isNew'] | 'unknown';

/**
 * Runs the rules on a page, with a site that collects the groups of the page. Calls `onFound` for each result.
 * @returns false for a soft 404, whose links do not count
 */
export type JudgePage = (
  page: AuditedPage,
  site: Site,
  onFound: (rule: Rule, found: Found) => Promise<void> | void,
) => Promise<boolean>;

interface NewsInput {
  readonly rows: RowTable;
  readonly keyOf: Site['keyOf'];
  readonly site: Site;
  readonly judgePage: JudgePage;
  readonly rowOf: (row: number) => Promise<AuditRow | undefined>;
}

const NEW_KINDS: readonly ChangeKind[] = ['new', 'back'];

/**
 * Decides which findings are new since a moment: the fact was not so in the version of that moment. The rules run on the page as it was
 * then, so each rule is its own comparison.
 */
export class News {
  readonly since: number;
  readonly #input: NewsInput;
  readonly #past: ReturnType<typeof createPast>;
  #before: { readonly page: PastPage; readonly results: Promise<ReadonlySet<string>> } | undefined;

  private constructor(crawl: CrawlContext, since: number, newPages: ReadonlySet<string>, input: NewsInput) {
    this.since = since;
    this.#input = input;
    this.#past = createPast(crawl, { since, isNewPage: (key) => newPages.has(key), keyOf: input.keyOf });
  }

  /**
   * Reads the new pages since a moment. The first crawl of the table is no change, so a moment before its end stands for its end.
   * @throws CrawlError USAGE for an unknown mark
   */
  static async since(crawl: CrawlContext, moment: number | string, input: NewsInput): Promise<News> {
    const changes = readChanges(crawl, { since: moment, kinds: NEW_KINDS });
    const { baselineEnd = 0 } = await crawl.tables.changes.state();
    const since = Math.max((await changes.summary()).since, baselineEnd);
    const newPages = new Set<string>();
    for await (const change of changes) if (change.type === 'page') newPages.add(rowKeyOf(change.url));
    return new News(crawl, since, newPages, input);
  }

  async ofPage(rule: Rule, found: Found, { row, number }: AuditedPage): Promise<Newness> {
    return this.#byPast(await this.#past.of(row, number), resultOf(rule.id, found));
  }

  async ofMember(rule: string, key: string, { row, number }: AuditedPage): Promise<Newness> {
    return this.#byPast(await this.#past.of(row, number), memberOf(rule, key));
  }

  ofGroup({ fresh, undecided }: Group): Newness {
    if (fresh > 0) return 'target';
    return undecided > 0 ? 'unknown' : undefined;
  }

  /** Whether one of two pages that name each other in only one direction is new: a version in another language without a return. */
  async ofPair(from: number, to: number): Promise<Newness> {
    const [names, returns] = [await this.#named(from, 'alternate', to), await this.#named(to, 'alternate', from)];
    if (names === 'no' || returns === 'yes') return 'target';
    return names === 'unknown' || returns === 'unknown' ? 'unknown' : undefined;
  }

  /** Whether a finding on a target is new: the target has changed so that it became a fault, or every page with the link is new. */
  async ofTarget(found: Found, target: Target): Promise<Newness> {
    const link =
      found.sources === target.duplicates
        ? this.#ofDuplicates(target)
        : await this.#ofLinks(found.sources, ...relationOf(found, target));
    const { response, row, verdict, ending } = target;
    const firstResponseAt = Math.min(response?.since ?? Infinity, response?.lastOkAt ?? Infinity);
    const isLinkNew = link === 'link' && firstResponseAt > this.since;
    if (verdict === 'ok' && row !== undefined) {
      const changed = await this.#hasChanged(target, found);
      if (changed !== undefined && !isLinkNew) return changed;
    } else {
      const { rows } = this.#input;
      const failedAt = found.since ?? 0;
      const changedAt = ending?.since ?? (row === undefined ? failedAt : Math.max(failedAt, rows.changedAt(row)));
      const worked = response?.lastOkAt !== undefined || (row !== undefined && rows.is(row, ROW.wasPage));
      if (changedAt > this.since && (worked || !isLinkNew)) {
        const isFirst = firstResponseAt > this.since && (row === undefined || (await this.#isSeenLater(row)));
        return worked || !isFirst ? 'target' : 'unknown';
      }
    }
    return link === 'link' && !isLinkNew ? undefined : link;
  }

  /** Whether a link that is not a URL is new. @param text as in {@link PastPage.named} */
  ofBadLink(text: string, sources: Sources): Promise<Newness> {
    return this.#ofLinks(sources, 'link', text);
  }

  async #isSeenLater(row: number): Promise<boolean> {
    const { firstSeenAt = 0 } = (await this.#input.rowOf(row)) ?? {};
    return firstSeenAt > this.since;
  }

  async #byPast(past: Past, result: string): Promise<Newness> {
    if (past === 'same') return undefined;
    if (past === 'unknown') return 'unknown';
    if (past === 'new') return 'target';
    return (await this.#resultsOn(past)).has(result) ? undefined : 'target';
  }

  #resultsOn(past: PastPage): Promise<ReadonlySet<string>> {
    if (this.#before?.page !== past) this.#before = { page: past, results: this.#judge(past) };
    return this.#before.results;
  }

  async #judge({ page }: PastPage): Promise<ReadonlySet<string>> {
    const results = new Set<string>();
    const { site, judgePage } = this.#input;
    const group: Site['group'] = (rule, key) => void results.add(memberOf(rule, key));
    if (page) await judgePage(page, { ...site, group }, (rule, found) => void results.add(resultOf(rule.id, found)));
    return results;
  }

  async #pastOf(row: number): Promise<Past> {
    const { rows, rowOf } = this.#input;
    // A redirect has no body. The change log knows when it changed.
    if (!rows.is(row, ROW.page)) return rows.changedAt(row) > this.since ? 'new' : 'same';
    const found = await rowOf(row);
    return found ? this.#past.of(found, row) : 'unknown';
  }

  /** Pages have the same content. This is new if the content of one of them has changed, by the change log. */
  #ofDuplicates({ row, duplicates }: Target): Newness {
    const { rows } = this.#input;
    const members = [...(row === undefined ? [] : [row]), ...duplicates.shown.map((source) => source.row)];
    return members.some((member) => rows.changedAt(member) > this.since) ? 'target' : undefined;
  }

  /** @returns `link` if no page had the link at the moment */
  async #ofLinks(sources: Sources | undefined, relation: Relation, key: string): Promise<Newness> {
    if (!sources || sources.total === 0 || sources.oldestChange <= this.since) return undefined;
    let isUnknown = false;
    for (const { row } of sources.shown) {
      const past = await this.#pastOf(row);
      if (past === 'same' || (typeof past === 'object' && past.named[relation].has(key))) return undefined;
      isUnknown ||= past === 'unknown';
    }
    return isUnknown ? 'unknown' : 'link';
  }

  async #named(row: number, relation: Relation, to: number): Promise<'yes' | 'no' | 'same' | 'unknown'> {
    const past = await this.#pastOf(row);
    if (past === 'same' || past === 'unknown') return past;
    if (past === 'new') return 'no';
    const target = await this.#input.rowOf(to);
    return target && past.named[relation].has(target.key) ? 'yes' : 'no';
  }

  /** Whether a page has changed so that links to it became a fault. @returns undefined if it has not */
  async #hasChanged({ row, fragments }: Target, { sources }: Found): Promise<Newness> {
    const [past, now] = [await this.#pastOf(row!), await this.#input.rowOf(row!)];
    if (past === 'same' || past === 'new') return undefined;
    if (past === 'unknown') return 'unknown';
    const { page } = past;
    if (!page || !now) return 'target';
    const fragment = fragmentOf(fragments, sources);
    if (fragment !== undefined) return hasPlace(new Set(page.facts.ids), fragment) ? 'target' : undefined;
    const { parseStatus: is } = now;
    const { parseStatus: was } = page.row;
    return is?.noindex !== was?.noindex || is?.canonical !== was?.canonical ? 'target' : undefined;
  }
}

const resultOf = (rule: string, { url = '', part = '' }: Found): string => `result\0${rule}\0${url}\0${part}`;
const memberOf = (rule: string, key: string): string => `member\0${rule}\0${key}`;

/** In which relation the sources of a finding name its target, and the key as in {@link PastPage.named}. */
function relationOf({ sources }: Found, target: Target): readonly [Relation, string] {
  const key = rowKeyOf(target.url);
  if (sources === target.canonicals) return ['canonical', key];
  if (sources === target.alternates) return ['alternate', key];
  if (sources === target.listed) return ['listed', key];
  const fragment = fragmentOf(target.fragments, sources);
  return ['link', fragment === undefined ? key : `${key}#${fragment}`];
}

function fragmentOf(fragments: Target['fragments'], sources: Sources | undefined): string | undefined {
  for (const [fragment, each] of fragments) if (each === sources) return withoutText(fragment);
  return undefined;
}
