import {
  jsonLdValues,
  statedTime,
  statedTimes,
  type HtmlDocument,
  type JsonLdNode,
  type PageHead,
  type StatedTime,
  englishMonth,
  statedDay,
} from '../../../core/index.js';
import type { PageView } from '../page-view.js';
import { statedBy } from '../stated-by.js';
import { seenDates, type SeenDate } from './seen-dates.js';

export interface PageDates {
  readonly published?: StatedTime;
  readonly modified?: StatedTime;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const read = new WeakMap<HtmlDocument, PageDates>();

/**
 * Finds the dates on which a page claims to be published and last changed. Sources are JSON-LD, metadata, the URL, elements and attributes
 * for dates, and the text near its title. If sources disagree, the day that most sources state is used. Dates more than a day after the
 * fetch are ignored.
 */
export function pageDates(view: PageView): PageDates {
  const document = view.document();
  const stated = statedBy(view);
  if (!document || !stated) return {};
  let dates = read.get(document);
  if (!dates) read.set(document, (dates = readDates(view, document, stated.head, stated.jsonLd().nodesByKind())));
  return dates;
}

function readDates(view: PageView, document: HtmlDocument, head: PageHead, nodes: readonly JsonLdNode[]): PageDates {
  const latest = (view.row.fetchedAt ?? Infinity) + DAY;
  const isPast = (date: StatedTime | undefined): date is StatedTime => date !== undefined && date.time <= latest;
  const metadata = statedTimes(metadataOf(head));
  const ofNodes = (...names: readonly string[]): StatedTime | undefined =>
    names
      .flatMap((name) => nodes.flatMap((node) => jsonLdValues(node[name])))
      .flatMap((text) => (typeof text === 'string' ? [statedTime(text)] : []))
      .find(isPast);
  const seen = seenDates(document, head.languageOf()?.toLowerCase() ?? '').filter(({ time }) => isPast(time));
  const url = [urlDate(view.url)].find(isPast);
  const shown = shownDate(seen);
  const beside = shownDate(seen.filter(({ sign }) => sign !== 'itemprop'));
  const stated = [
    ofNodes('datePublished', 'dateCreated', 'uploadDate', 'datePosted'),
    metadata.published,
    markedDate(seen, false),
  ].filter(isPast);
  const published = mostSupported(stated, [url, beside].filter(isPast)) ?? url ?? shown;
  const modified =
    ofNodes('dateModified') ?? [metadata.modified, markedDate(seen, true)].find(isPast) ?? labelledModified(seen);
  return { ...(published && { published: withLocalDay(published, url, seen) }), ...(modified && { modified }) };
}

/** Returns the stated time whose day occurs most often among all times. If several days occur equally often, it returns the first. */
function mostSupported(stated: readonly StatedTime[], others: readonly StatedTime[]): StatedTime | undefined {
  const support = ({ day }: StatedTime): number => [...stated, ...others].filter((other) => other.day === day).length;
  const most = Math.max(...stated.map(support));
  return stated.find((each) => support(each) === most);
}

/**
 * Replaces the day of a UTC time by the local day of the page. The local day may be the day before or after. The local day is used if the
 * URL or the text near the title states this day, and if the time falls on this day in some time zone.
 */
function withLocalDay(stated: StatedTime, url: StatedTime | undefined, seen: readonly SeenDate[]): StatedTime {
  if (!stated.inUtc) return stated;
  const shown = seen.flatMap((date) =>
    isOfPage(date) && !date.isModified && (date.isNearTitle || date.sign !== 'text') ? [date.time.day] : [],
  );
  const days = url && isDaySomewhere(stated.time, url.day) ? [url.day] : shown;
  const known = days.find((day) => isDaySomewhere(stated.time, day));
  return known === undefined || days.includes(stated.day) ? stated : { ...stated, day: known };
}

/** Whether a time falls on this day in some time zone. Zones go from 14 hours ahead of UTC to 12 hours behind it. */
function isDaySomewhere(time: number, day: string): boolean {
  const start = Date.parse(day);
  return time + 14 * HOUR >= start && time - 12 * HOUR < start + DAY;
}

function metadataOf({ metas }: PageHead): Record<string, string> {
  return Object.fromEntries([...metas].reverse().map(({ name, content }) => [name, content]));
}

function markedDate(dates: readonly SeenDate[], isModified: boolean): StatedTime | undefined {
  return dates.find((date) => date.sign === 'itemprop' && date.isModified === isModified && isOfPage(date))?.time;
}

function labelledModified(dates: readonly SeenDate[]): StatedTime | undefined {
  return dates.find((date) => date.isModified && isOfPage(date))?.time;
}

/** Whether a date is in the main content. The footer of a page may state when the page was changed. */
function isOfPage({ region, isModified }: SeenDate): boolean {
  return region !== 'beside' && (isModified || region !== 'footer');
}

function shownDate(dates: readonly SeenDate[]): StatedTime | undefined {
  let best: SeenDate | undefined;
  for (const date of dates) {
    if (!date.isModified && (!best || pointsOf(date) > pointsOf(best))) best = date;
  }
  return best?.time;
}

const SIGNS = { itemprop: 40, published: 40, time: 30, class: 20, text: 5 } as const;
const REGIONS = { main: 10, unknown: 0, beside: -30, footer: -30 } as const;

function pointsOf({ sign, region, isNearTitle, isLabelled }: SeenDate): number {
  return SIGNS[sign] + REGIONS[region] + (isNearTitle ? 25 : 0) + (isLabelled ? 8 : 0);
}

/** The forms of a day in a path. The first one that occurs is used. */
const DAYS_IN_PATHS: readonly RegExp[] = [
  /(?<!\d)(?<year>(?:19|20)\d{2})(?<mark>[/_.-])(?<month>[01]?\d)\k<mark>(?<day>[0-3]?\d)(?!\d)/,
  /(?<!\d)(?<day>[0-3]\d)(?<mark>[_.-])(?<month>[01]\d)\k<mark>(?<year>(?:19|20)\d{2})(?!\d)/,
  /\/(?<year>(?:19|20)\d{2})\/(?<month>[a-z]{3})[a-z]{0,6}\/(?<day>[0-3]?\d)(?!\d)/i,
  /(?<![\da-z])(?<year>(?:19|20)\d{2})(?<month>[01]\d)(?<day>[0-3]\d)(?!\d)/i,
];

/** The day in the path of a URL, such as `/2024/05/01/`. Undefined: the path has no day. */
export function urlDate(url: string): StatedTime | undefined {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  for (const form of DAYS_IN_PATHS) {
    const { year, month, day } = form.exec(path)?.groups ?? {};
    if (year !== undefined) return statedDay(Number(year), Number(month) || englishMonth(month), Number(day));
  }
  return undefined;
}
