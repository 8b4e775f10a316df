import { rowKeyOf, type Page } from '../../webtable/index.js';
import { loadDiffer, readChanges as changes, logPlaces, type ChangeDiff, type PageRecord } from '../changes/index.js';
import { mainBlocks } from '../export/index.js';
import { createSeldom, defined } from '../util/index.js';
import {
  createReadBudget,
  rowShare,
  COPY_FIELDS,
  SHOWN_FIELDS,
  hasCopy,
  shownText,
  withoutHidden,
  type ReadBudget,
} from '../search/index.js';
import {
  servePages,
  type CachedText,
  type RunningServer,
  type ServeOptions,
  type RulesSource,
  type ShownPrefixes,
} from '../serve/index.js';
import type { OpenContext } from './open-context.js';
import { openSearchWithin } from './open-search.js';
import { createIndexUse, createPrompt, statusWith } from './status.js';
import {
  latestPrefixStatistics,
  readPrefixStatistics,
  reportRules,
  type PrefixNode,
  type PrefixSelection,
} from '../focus/index.js';
import { rules } from './rules/rules.js';

/**
 * Serves the search page, the API, the dashboard and the metrics of a table until it is closed. Close it before the crawl. It writes only
 * when a user edits rules on its pages. If the table was opened with `yields`, other processes may crawl while it serves. The next search
 * finds pages that `index` has added. If `index.writer` names an index that cannot be searched, searches are answered with 503, and all
 * other requests are served.
 * @throws CrawlError CANNOT_LISTEN; BAD_SETTING when the table has no folder and `index.path` names no folder
 */
export async function serve(crawl: OpenContext, options: ServeOptions = {}): Promise<RunningServer> {
  const budget = createReadBudget();
  const share = rowShare(crawl.settings);
  const searcher = await openSearchWithin(budget, crawl);
  const info = createSeldom(() => searcher.info()).read;
  const indexUse = createPrompt(createIndexUse({ info }, crawl), {});
  try {
    const served = await servePages(
      {
        search: (query, request) => searcher.search(query, request),
        languages: async () => languagesOf((await info().catch(() => undefined))?.languages ?? {}),
        suggest: (prefix, signal) => searcher.suggest(prefix, signal),
        cached: (url, signal) => budget.run(share.bytes, () => cachedText(crawl, url), signal),
        status: () => statusWith(crawl, indexUse),
        rules: servedRules(crawl, budget),
        changes: {
          read: (asked, signal) => changes(crawl, asked, signal),
          diff: (record) => shownDiff(crawl, record),
          places: (cursor) => logPlaces(crawl, cursor),
          tableId: () => crawl.tables.id(),
        },
      },
      { site: crawl.settings.search.site, ...crawl.settings.serve, ...options },
    );
    let closing: Promise<void> | undefined;
    const closeBoth = async (): Promise<void> => {
      try {
        await served.close();
      } finally {
        await searcher.close();
      }
    };
    const close = (): Promise<void> => (closing ??= closeBoth());
    return { ...served, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await searcher.close();
    throw error;
  }
}

/** Returns the languages, ordered by number of pages. Pages of unknown language are not counted. */
function languagesOf(counts: Readonly<Record<string, number>>): readonly string[] {
  const known = Object.entries(counts).filter(([name]) => name !== '');
  return known.sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([name]) => name);
}

const CACHED_FIELDS = ['title', 'textRanges', 'language', 'fetchedAt', ...COPY_FIELDS] as const;
/** Seconds after which only the text of a page is shown. While its main content is read, this process handles no other request. */
const MAIN_CONTENT_SECONDS = 1;

/**
 * Returns the text of an indexed page, without the parts that must not appear in snippets. If there are no such parts, the main content is
 * returned too. undefined in three cases: the page is not in the index; the page asks not to show a copy, or to show only a part; or it is
 * not known what the page asks, for example after a failed fetch. The page is looked up by row key, without the current filters. Therefore
 * each page that a search finds can be shown.
 */
async function cachedText({ tables, settings }: OpenContext, url: string): Promise<CachedText | undefined> {
  const page = await tables.pages.get(rowKeyOf(url), CACHED_FIELDS);
  if (page?.text === undefined || !hasCopy(page)) return undefined;
  const { title, language, fetchedAt } = page;
  const text = withoutHidden(page.text, page.textRanges);
  const parser = { ...settings.parser, timeout: Math.min(settings.parser.timeout, MAIN_CONTENT_SECONDS) };
  const blocks = hasHidden(page) ? [] : await mainBlocks({ tables, settings: { ...settings, parser } }, page.key);
  return { url, text, ...(blocks.length > 0 && { blocks }), ...defined({ title, language, fetchedAt }) };
}

/** Maximum milliseconds for comparing two versions of a page. Meanwhile this process handles no other request. */
const DIFF_MS = 200;

/** Returns the diff of a change, if the page allows a copy of its whole text. */
async function shownDiff(crawl: OpenContext, record: PageRecord): Promise<ChangeDiff | undefined> {
  const page = await crawl.tables.pages.get(rowKeyOf(record.url), ['textRanges', ...SHOWN_FIELDS]);
  if (!page || !shownText(page).copy || hasHidden(page)) return undefined;
  return (await loadDiffer(crawl, DIFF_MS))(record);
}

function hasHidden({ textRanges = [] }: Partial<Pick<Page, 'textRanges'>>): boolean {
  return textRanges.some(({ kind }) => kind === 'nosnippet');
}

/** Maximum number of prefixes to read for one response. Without a maximum, a selection that matches no prefix would read all prefixes. */
const MAX_READ_PREFIXES = 50_000;

/**
 * Provides the rules of a table to a server. Work that grows with the number of rules is done once for each version of the rules.
 * @param budget reserves memory for data that is read for one client only
 */
function servedRules(crawl: OpenContext, budget: ReadBudget): RulesSource {
  const { tables } = crawl;
  const report = createSeldom(() => reportRules(crawl));
  const { bytes } = rowShare(crawl.settings);

  async function prefixes(selection: PrefixSelection, most: number): Promise<ShownPrefixes> {
    const statistics = await latestPrefixStatistics(crawl, selection);
    const found: PrefixNode[] = [];
    const limit = { left: MAX_READ_PREFIXES };
    for await (const node of readPrefixStatistics(crawl, selection, limit)) {
      if (found.length === most) return { statistics, prefixes: found, more: true };
      found.push(node);
    }
    return { statistics, prefixes: found, more: limit.left === 0 };
  }

  return {
    async list() {
      const set = await crawl.rules.current();
      const { version, sorted, broken } = set;
      return { version, rules: sorted, contradictions: await set.contradictions(), broken: Object.fromEntries(broken) };
    },
    histories: (ids, signal) => budget.run(bytes, () => tables.rules.histories(ids), signal),
    report: () => report.read(),
    async setState(id, state, yes) {
      await (state === 'active' ? rules.enable(crawl, id, { yes }) : rules.disable(crawl, id, { yes }));
    },
    prefixes: (selection, most, signal) => budget.run(bytes, () => prefixes(selection, most), signal),
    proposals: (signal) => budget.run(bytes, () => rules.proposals(crawl), signal),
    async applyProposal(list, number, signal) {
      const { added } = await rules.applyProposals(crawl, { list, numbers: [number], signal });
      return added.map(({ id }) => id);
    },
  };
}
