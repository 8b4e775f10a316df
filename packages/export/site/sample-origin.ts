import { createHash } from 'node:crypto';
import { MIN_PAGES, rangeOfSite, sitesOfPage, type CrawlContext, type PageRow } from '../../core/index.js';
import { hasPage } from '../stated/page-view.js';

type Crawl = Pick<CrawlContext, 'tables'>;

export interface SamplePage {
  readonly key: string;
  /** A hash of the key, by which pages are sampled. */
  readonly id: string;
  readonly signature: string;
}

export interface OriginSample {
  /** The names of the first folders with enough pages. Each is a site; see {@link sampleFolder}. */
  readonly folders: ReadonlySet<string>;
  /** The sample of all other pages. Undefined: these are too few. */
  readonly others: readonly SamplePage[] | undefined;
}

const MAX_SAMPLE_PAGES = 50;
const MIN_FOLDER_PAGES = 20;
/** Maximum number of folders of an origin that are sites of their own, in key order. */
const MAX_FOLDERS = 500;
const FIELDS = ['status', 'contentType', 'parseStatus', 'duplicateOf', 'signature'] as const;
const HTML: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

/**
 * Finds the sites of an origin by the HTML pages that an export includes by default. The result depends only on the set of these pages. It
 * is found by one scan of a few small fields, in bounded memory. Of pages with the same signature, one is in the sample.
 */
export async function sampleOrigin({ tables }: Crawl, origin: string): Promise<OriginSample> {
  const folders = new Set<string>();
  const others = createSample();
  let current: { readonly name: string; readonly sample: Sample } | undefined;
  // All pages of a folder are next to each other in key order.
  const endFolder = (): void => {
    if (!current) return;
    const { name, sample } = current;
    if (sample.seen() >= MIN_FOLDER_PAGES && sample.pages.length >= MIN_PAGES && folders.size < MAX_FOLDERS) {
      folders.add(name);
    } else for (const page of sample.pages) others.add(page);
    current = undefined;
  };
  for await (const page of eligiblePages(tables, origin)) {
    const { folder } = sitesOfPage(page.key);
    if (folder !== current?.name) endFolder();
    if (folder === undefined) others.add(page);
    else (current ??= { name: folder, sample: createSample() }).sample.add(page);
  }
  endFolder();
  return { folders, others: others.pages.length >= MIN_PAGES ? others.pages : undefined };
}

/** Returns the sample of a folder that is a site: the pages with the smallest ids, in the order of their ids. */
export async function sampleFolder({ tables }: Crawl, folder: string): Promise<readonly SamplePage[]> {
  const sample = createSample();
  for await (const page of eligiblePages(tables, folder)) sample.add(page);
  return sample.pages;
}

async function* eligiblePages(tables: Crawl['tables'], site: string): AsyncGenerator<SamplePage> {
  for await (const row of tables.pages.scan({ ranges: [rangeOfSite(site)], fields: FIELDS })) {
    if (!isEligible(row)) continue;
    const { key, signature } = row;
    const id = createHash('sha256').update(key).digest('hex').slice(0, 16);
    yield { key, id, signature: signature ?? id };
  }
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
      if (pages.length === MAX_SAMPLE_PAGES && page.id >= last!.id) return;
      const same = pages.findIndex(({ signature }) => signature === page.signature);
      if (same >= 0) {
        if (pages[same]!.id <= page.id) return;
        pages.splice(same, 1);
      } else if (pages.length === MAX_SAMPLE_PAGES) pages.pop();
      const at = pages.findIndex(({ id }) => id > page.id);
      pages.splice(at < 0 ? pages.length : at, 0, page);
    },
  };
}
