import type { Field, Settings } from '../../core/index.js';
import type { ColumnType } from '../pages/page-columns.js';
import type { PageDates } from './dates/page-dates.js';
import { DOCUMENT_FIELDS, type PageView } from './page-view.js';

const DATE_FIELDS = [...DOCUMENT_FIELDS, 'fetchedAt'] as const satisfies readonly Field[];

/** The computed fields with statements of a page about itself. Their code is loaded at the first use. */
export const statedFields = {
  jsonLd: field('JSON', async () => (await import('./about.js')).jsonLdOf),
  microdata: field('JSON', async () => (await import('./microdata.js')).microdataItems),
  openGraph: field('JSON', async () => (await import('./open-graph.js')).openGraphOf),
  author: field('JSON', async () => (await import('./about.js')).authorsOf),
  publishedAt: ofDates('TIMESTAMP', ({ published }) => published?.time),
  publishedDay: ofDates('STRING', ({ published }) => published?.day),
  statedModifiedAt: ofDates('TIMESTAMP', ({ modified }) => modified?.time),
  image: field('STRING', async () => (await import('./about.js')).imageOf),
  siteName: field('STRING', async () => (await import('./about.js')).siteNameOf),
  canonical: {
    needs: ['parseStatus'],
    type: 'STRING',
    load: async (_settings: Settings) => (view: PageView) => view.row.parseStatus?.canonical,
  },
  h1: field('STRING', async () => (await import('./about.js')).firstHeadingOf),
  hreflang: ofLinks(async () => (await import('./links.js')).hreflangOf),
  feeds: ofLinks(async () => (await import('./links.js')).feedsOf),
} as const;

function field<T>(type: ColumnType, load: () => Promise<(view: PageView) => T | undefined>) {
  return { needs: DOCUMENT_FIELDS, type, load: (_settings: Settings) => load() } as const;
}

function ofLinks<T>(load: () => Promise<(view: PageView) => T | undefined>) {
  return {
    ...field('JSON', load),
    needs: [...DOCUMENT_FIELDS, 'headers'] as const satisfies readonly Field[],
  } as const;
}

function ofDates<T>(type: ColumnType, valueOf: (dates: PageDates) => T | undefined) {
  return {
    needs: DATE_FIELDS,
    type,
    load: async (_settings: Settings) => {
      const { pageDates } = await import('./dates/page-dates.js');
      return (view: PageView) => valueOf(pageDates(view));
    },
  } as const;
}
