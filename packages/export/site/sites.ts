import {
  layoutOfPage,
  learnSite,
  packTemplate,
  pageTraits,
  sitesOfPage,
  TEMPLATE_RULE,
  unpackTemplate,
  urlOf,
  type CrawlContext,
  type Field,
  type JsonValue,
  type PageRow,
  type PageTraits,
  type SampledPage,
  type SiteTemplate,
  type StoredSite,
  type Tracker,
} from '../../core/index.js';
import { readWithTemplate } from '../markdown/markdown-field.js';
import { DOCUMENT_FIELDS } from '../stated/page-view.js';
import type { TargetResult } from '../target/target.js';
import { sampleFolder, sampleOrigin, type OriginSample, type SamplePage } from './sample-origin.js';

export type Sites = ReturnType<typeof createSites>;

interface SitesOptions {
  /** When the reader began, in ms since the epoch. Default: now. */
  readonly began?: number;
  readonly count?: (name: 'sites_learned' | 'sites_changed') => void;
}

type Crawl = Pick<CrawlContext, 'tables' | 'settings' | 'clock'>;

type Change = Pick<StoredSite, 'learnedAt' | 'readerBegan'>;

interface Reading {
  readonly template?: SiteTemplate;
  /** What has changed this: the stored template of the site, and a removed one of the folder. */
  readonly changes: readonly Change[];
}

interface Origin extends OriginSample {
  /** The removals of templates whose folder or origin is no site any more, by name. */
  readonly removed: ReadonlyMap<string, Change>;
}

/** A template is learned again when this share of its sample has changed. */
const CHANGED_SHARE = 0.25;
const PAGES_PER_READ = 10;
/** A page with more elements and blocks shows nothing about its site, so that the memory of a sample is bounded. */
const MAX_TRAITS = 20_000;
/** Maximum number of folders and sampled pages of the origins that stay in memory. Also the maximum number of names of checked sites. */
const MAX_KEPT = 50_000;
const MAX_READINGS = 100;
const MAX_LISTED = 1000;

/** Creates the templates for one reader. Rows may come in any order. In key order, each origin is sampled once. */
export function createSites(crawl: Crawl, { began = crawl.clock(), count = () => {} }: SitesOptions = {}) {
  const { siteTemplates } = crawl.tables;
  const origins = new Map<string, Origin>();
  const readings = new Map<string, Reading>();
  const numbers = new Map<string, number>();
  const checked = new Set<string>();
  let kept = 0;
  let used = 0;

  async function originOf(name: string): Promise<Origin> {
    const known = origins.get(name);
    if (known) return known;
    const sample = await sampleOrigin(crawl, name);
    const origin = { ...sample, removed: await removeOthers(name, sample) };
    kept += sizeOf(origin);
    origins.set(name, origin);
    for (const [oldest, other] of origins) {
      if (kept <= MAX_KEPT || oldest === name) break;
      kept -= sizeOf(other);
      origins.delete(oldest);
    }
    return origin;
  }

  /**
   * Removes the templates of folders and origins that are no sites any more. The numbers of these templates stay, so that readers see the
   * change.
   */
  async function removeOthers(origin: string, { folders, others }: OriginSample): Promise<Map<string, Change>> {
    const removed = new Map<string, Change>();
    for await (const { name, stored } of siteTemplates.within(origin)) {
      if (name === origin ? others : folders.has(name)) continue;
      const after = await siteTemplates.change(name, (now) => {
        if (now?.template === undefined) return undefined;
        return {
          rule: TEMPLATE_RULE,
          number: now.number + 1,
          learnedAt: crawl.clock(),
          readerBegan: began,
          sample: [],
        };
      });
      removed.set(name, after ?? stored);
    }
    return removed;
  }

  async function readingOf(rowKey: string): Promise<Reading> {
    const { origin: originName, folder } = sitesOfPage(rowKey);
    const origin = await originOf(originName);
    const isFolder = folder !== undefined && origin.folders.has(folder);
    const { others } = origin;
    const name = isFolder ? folder : originName;
    const isSite = isFolder || others !== undefined;
    const removed = [originName, folder ?? ''].flatMap((each) =>
      each === name && isSite ? [] : (origin.removed.get(each) ?? []),
    );
    if (!isSite) return { changes: removed };
    const reading = await settled(name, async () => (isFolder ? sampleFolder(crawl, name) : others!));
    return removed.length === 0 ? reading : { ...reading, changes: [...reading.changes, ...removed] };
  }

  async function settled(name: string, sampleOf: () => Promise<readonly SamplePage[]>): Promise<Reading> {
    const known = readings.get(name);
    if (known) return known;
    const isChecked = checked.has(name);
    const kept = isChecked ? await siteTemplates.get(name) : undefined;
    const stored = isCurrent(kept) ? kept : await settle(name, await sampleOf());
    const template = unpackTemplate(stored.template);
    const reading = { changes: [stored], ...(template && { template }) };
    readings.set(name, reading);
    if (readings.size > MAX_READINGS) readings.delete(readings.keys().next().value!);
    if (!isChecked) {
      used++;
      if (checked.size < MAX_KEPT) checked.add(name);
      if (numbers.size < MAX_LISTED) numbers.set(name, stored.number);
    }
    return reading;
  }

  /** Returns the stored template if it is still right, else learns and stores another one. */
  async function settle(name: string, sample: readonly SamplePage[]): Promise<StoredSite> {
    const stored = await siteTemplates.get(name);
    const template = stored?.rule === TEMPLATE_RULE ? unpackTemplate(stored.template) : undefined;
    if (stored && template) {
      const right = await stillRight(crawl, stored, template, sample);
      if (right === stored) return stored;
      if (right) {
        return (await siteTemplates.change(name, (now) => (isEqual(now, stored) ? right : undefined))) ?? right;
      }
    }
    const learned = await learn(crawl, sample, template);
    const after = (await siteTemplates.change(name, (now) => {
      // Another process has learned the same template meanwhile.
      if (now && !isEqual(now, stored) && isSameSample(now, learned)) return undefined;
      return { ...learned, number: (now?.number ?? 0) + 1, learnedAt: crawl.clock(), readerBegan: began };
    }))!;
    count('sites_learned');
    if (template && kindOf(template) !== kindOf(unpackTemplate(learned.template)!)) count('sites_changed');
    return after;
  }

  return {
    /** Reads the main content of a row by the template of its site. Learns the template if it is missing or no longer right. */
    async prepare(row: PageRow<Field>): Promise<void> {
      if (row.content === undefined) return;
      const { template } = await readingOf(row.key);
      if (template) readWithTemplate(row, template);
    },
    /**
     * Whether the template by which a page is read has changed at this time or later, in ms since the epoch. A change by a reader that
     * began at just this time does not count: its pages are already read by the template.
     */
    async hasChangedSince(rowKey: string, time: number): Promise<boolean> {
      const { changes } = await readingOf(rowKey);
      return changes.some(({ learnedAt, readerBegan }) => learnedAt >= time && readerBegan !== time);
    },
    /** Returns the used templates as plain JSON for a manifest: the version of the rule, and the number of each template, by URL. */
    about: (): Record<string, JsonValue> => ({
      sites: {
        rule: TEMPLATE_RULE,
        count: used,
        numbers: Object.fromEntries([...numbers].map(([name, number]) => [urlOf(name), number])),
      },
    }),
  };
}

/**
 * Writes an export with the templates of sites, and adds them to its manifest. They are left out if the export does not need the main
 * content, or without `parser.siteContent`.
 */
export async function writeWithSites(
  crawl: Crawl,
  isNeeded: boolean,
  { tracker, began }: { readonly tracker: Pick<Tracker, 'count'>; readonly began: number },
  write: (sites: Sites | undefined) => Promise<TargetResult>,
): Promise<TargetResult> {
  if (!isNeeded || !crawl.settings.parser.siteContent) return write(undefined);
  const sites = createSites(crawl, { began, count: tracker.count });
  const result = await write(sites);
  return result === 'stopped' ? result : { ...result, ...sites.about() };
}

function sizeOf({ folders, others }: OriginSample): number {
  return 1 + folders.size + (others?.length ?? 0);
}

/**
 * Checks a template by the present sample of its site.
 * @returns the same record, the record with the present signatures, or undefined if the template has to be learned again
 */
async function stillRight(
  crawl: Crawl,
  stored: StoredSite,
  template: SiteTemplate,
  sample: readonly SamplePage[],
): Promise<StoredSite | undefined> {
  const before = new Map(stored.sample.map((page) => [page.id, page]));
  const common = sample.filter(({ id }) => before.has(id));
  const replaced = Math.max(sample.length, before.size) - common.length;
  const limit = CHANGED_SHARE * Math.max(sample.length, before.size);
  if (replaced >= limit) return undefined;
  const changed = common.filter(({ id, signature }) => before.get(id)!.signature !== signature);
  if (replaced + changed.length < limit) return stored;
  let restructured = 0;
  const present = new Map<string, SampledPage>();
  for await (const [{ id, signature }, traits] of traitsOf(crawl, changed)) {
    const layout = traits ? layoutOfPage(traits, template) : 0;
    if (layout === before.get(id)!.layout) present.set(id, { id, signature, layout });
    else restructured++;
  }
  if (replaced + restructured >= limit) return undefined;
  return { ...stored, sample: stored.sample.map((page) => present.get(page.id) ?? page) };
}

async function learn(
  crawl: Crawl,
  sample: readonly SamplePage[],
  before: SiteTemplate | undefined,
): Promise<Pick<StoredSite, 'rule' | 'sample'> & { readonly template: JsonValue }> {
  const pages: (readonly [SamplePage, PageTraits | undefined])[] = [];
  for await (const page of traitsOf(crawl, sample)) pages.push(page);
  const learned = learnSite(
    pages.flatMap(([, traits]) => traits ?? []),
    before,
  );
  const template = packTemplate(learned);
  const applied = unpackTemplate(template)!;
  return {
    rule: TEMPLATE_RULE,
    sample: pages.map(([{ id, signature }, traits]) => ({
      id,
      signature,
      layout: traits ? layoutOfPage(traits, applied) : 0,
    })),
    template,
  };
}

/** Yields what each page shows about its site; undefined for a page without main content. */
async function* traitsOf(
  { tables, settings }: Crawl,
  sample: readonly SamplePage[],
): AsyncGenerator<readonly [SamplePage, PageTraits | undefined]> {
  for (let at = 0; at < sample.length; at += PAGES_PER_READ) {
    const pages = sample.slice(at, at + PAGES_PER_READ);
    const rows = await tables.pages.getMany(
      pages.map(({ key }) => key),
      DOCUMENT_FIELDS,
    );
    for (const [i, page] of pages.entries()) {
      const { content, contentType = 'text/html', parseStatus } = rows[i] ?? {};
      const input = content && { url: urlOf(page.key), content, contentType, charset: parseStatus?.charset };
      const traits = input && pageTraits(input, settings);
      yield [page, traits && traits.parts.length + traits.blocks.length <= MAX_TRAITS ? traits : undefined];
    }
  }
}

function isEqual(one: StoredSite | undefined, other: StoredSite | undefined): boolean {
  return one?.number === other?.number && one?.learnedAt === other?.learnedAt;
}

function isSameSample(one: Pick<StoredSite, 'rule' | 'sample'>, other: Pick<StoredSite, 'rule' | 'sample'>): boolean {
  return one.rule === other.rule && JSON.stringify(one.sample) === JSON.stringify(other.sample);
}

function isCurrent(stored: StoredSite | undefined): stored is StoredSite {
  return stored?.rule === TEMPLATE_RULE && unpackTemplate(stored.template) !== undefined;
}

function kindOf({ isManual, layouts }: SiteTemplate): string {
  return `${isManual} ${[...layouts.values()].some(({ isArticles }) => isArticles)}`;
}
