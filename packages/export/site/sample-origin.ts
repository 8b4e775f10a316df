import { createHash } from 'node:crypto';
import { MIN_PAGES, rangeOfSite, sitesOfPage, type CrawlContext, type PageRow } from '../../core/index.js';
import { hasPage } from '../stated/page-view.js';

/** A page of a sample. */
export interface SamplePage {
  readonly key: string;
  /** A hash of the key, by which pages are sampled. */
  readonly id: string;
  readonly signature: string;
}

/** The samples of the sites of an origin: for each, the pages with the smallest ids, in the order of their ids. */
export interface OriginSample {
  /** The first folders with enough pages, by name. Each is a site. */
  readonly folders: ReadonlyMap<string, readonly SamplePage[]>;
  /** All other pages. Undefined: these are too few. */
  readonly others: readonly SamplePage[] | undefined;
}

/** Maximum number of pages in a sample. */
const SAMPLE_PAGES = 50;
/** Minimum number of pages of a folder that is a site of its own. */
const FOLDER_PAGES = 20;
/** Maximum number of folders of an origin that are sites of their own, in key order. */
const MAX_FOLDERS = 500;
const FIELDS = ['status', 'contentType', 'parseStatus', 'duplicateOf', 'signature'] as const;
const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/**
 * Samples the HTML pages of an origin that an export includes by default. The result depends only on the set of these pages. It is found by
 * one scan of a few small fields, in bounded memory. Of pages with the same signature, one is in the sample.
 */
export async function sampleOrigin({ tables }: Pick<CrawlContext, 'tables'>, origin: string): Promise<OriginSample> {
  const folders = new Map<string, readonly SamplePage[]>();
  const others = createSample();
  let current: { readonly name: string; readonly sample: Sample } | undefined;
  // All pages of a folder are next to each other in key order.
  const endFolder = (): void => {
    if (!current) return;
    const { name, sample } = current;
    if (sample.seen() >= FOLDER_PAGES && sample.pages.length >= MIN_PAGES && folders.size < MAX_FOLDERS) {
      folders.set(name, sample.pages);
    } else for (const page of sample.pages) others.add(page);
    current = undefined;
  };
  for await (const row of tables.pages.scan({ ranges: [rangeOfSite(origin)], fields: FIELDS })) {
    if (!isEligible(row)) continue;
    const { key, signature } = row;
    const { folder } = sitesOfPage(key);
    if (folder !== current?.name) endFolder();
    const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
    const page = { key, id, signature: signature ?? id };
    if (folder === undefined) others.add(page);
    else (current ??= { name: folder, sample: createSample() }).sample.add(page);
  }
  endFolder();
  return { folders, others: others.pages.length >= MIN_PAGES ? others.pages : undefined };
}

function isEligible(row: PageRow<(typeof FIELDS)[number]>): boolean {
  const { contentType = 'text/html', parseStatus, duplicateOf } = row;
  const isParsed = parseStatus?.code === 'success' && parseStatus.noindex !== true;
  return hasPage(row) && isParsed && duplicateOf === undefined && HTML.has(contentType);
}

type Sample = ReturnType<typeof createSample>;

function createSample() {
  const pages: SamplePage[] = [];
  let seen = 0;
  return {
    pages: pages as readonly SamplePage[],
    /** Number of pages from which the sample was taken. */
    seen: () => seen,
    add(page: SamplePage): void {
      seen++;
      const last = pages.at(-1);
      if (pages.length === SAMPLE_PAGES && page.id >= last!.id) return;
      const same = pages.findIndex(({ signature }) => signature === page.signature);
      if (same >= 0) {
        if (pages[same]!.id <= page.id) return;
        pages.splice(same, 1);
      } else if (pages.length === SAMPLE_PAGES) pages.pop();
      const at = pages.findIndex(({ id }) => id > page.id);
      pages.splice(at < 0 ? pages.length : at, 0, page);
    },
  };
}
