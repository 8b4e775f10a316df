import { jsonLdValues, statedTime, statedTimes, type HtmlDocument, type StatedTime } from '../../../core/index.js';
import { headOf, type Head } from '../head.js';
import { jsonLdOf } from '../json-ld.js';
import type { PageView } from '../page-view.js';
import { seenDates, type Seen, type SeenDate } from './seen-dates.js';
import { urlDate } from './url-date.js';

export interface PageDates {
  readonly published?: StatedTime;
  readonly modified?: StatedTime;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A date that is at most this number of characters after the first heading belongs to the heading. */
const BEHIND = 600;
/** A date that is at most this number of characters before the first heading belongs to the heading. */
const AHEAD = 300;

const read = new WeakMap<HtmlDocument, PageDates>();

/**
 * Finds the dates on which a page claims to be published and last changed. Sources are JSON-LD, metadata, the URL, elements and attributes
 * for dates, and the text near its title. If sources disagree, the day that most sources state is used. Dates more than a day after the
 * fetch are ignored.
 */
export function pageDates(view: PageView): PageDates {
  const document = view.document();
  const head = headOf(view);
  if (!document || !head) return {};
  let dates = read.get(document);
  if (!dates) read.set(document, (dates = readDates(view, document, head)));
  return dates;
}

function readDates(view: PageView, document: HtmlDocument, head: Head): PageDates {
  const latest = (view.row.fetchedAt ?? Infinity) + DAY;
  const isPast = (date: StatedTime | undefined): date is StatedTime => date !== undefined && date.time <= latest;
  const metadata = statedTimes(metadataOf(head));
  const nodes = jsonLdOf(view).nodesByKind();
  const ofNodes = (...names: readonly string[]): StatedTime | undefined =>
    names
      .flatMap((name) => nodes.flatMap((node) => jsonLdValues(node[name])))
      .flatMap((text) => (typeof text === 'string' ? [statedTime(text)] : []))
      .find(isPast);
  const { dates, heading } = seenDates(document, head.language);
  const seen = { dates: dates.filter(({ time }) => isPast(time)), heading };
  const url = [urlDate(view.url)].find(isPast);
  const shown = shownDate(seen);
  const beside = shownDate({ ...seen, dates: seen.dates.filter(({ sign }) => sign !== 'itemprop') });
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
function withLocalDay(stated: StatedTime, url: StatedTime | undefined, seen: Seen): StatedTime {
  if (!stated.inUtc) return stated;
  const shown = seen.dates.flatMap((date) =>
    date.region !== 'beside' && !date.isModified && (isNearTitle(date, seen.heading) || date.sign !== 'text')
      ? [date.time.day]
      : [],
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

/** The metadata of a page; the first value of each name. */
function metadataOf({ metas }: Head): Record<string, string> {
  return Object.fromEntries([...metas].reverse().map(({ name, content }) => [name, content]));
}

/** The date in a property of schema.org. */
function markedDate({ dates }: Seen, isModified: boolean): StatedTime | undefined {
  return dates.find((date) => date.sign === 'itemprop' && date.isModified === isModified && date.region !== 'beside')
    ?.time;
}

function labelledModified({ dates }: Seen): StatedTime | undefined {
  return dates.find((date) => date.isModified && date.region !== 'beside')?.time;
}

/** The visible date that is most likely the date of the page. */
function shownDate({ dates, heading }: Seen): StatedTime | undefined {
  let best: SeenDate | undefined;
  let points = 0;
  for (const date of dates) {
    const own = pointsOf(date, heading);
    if (best && own <= points) continue;
    best = date;
    points = own;
  }
  return best?.time;
}

const SIGNS = { itemprop: 40, published: 40, time: 30, class: 20, text: 5 } as const;
const REGIONS = { main: 10, unknown: 0, beside: -30 } as const;

function pointsOf(date: SeenDate, heading: number | undefined): number {
  const { sign, region, isModified, isLabelled } = date;
  const near = isNearTitle(date, heading) ? 12 : 0;
  return SIGNS[sign] + REGIONS[region] + near + (isLabelled ? 8 : 0) - (isModified ? 15 : 0);
}

function isNearTitle({ at }: SeenDate, heading: number | undefined): boolean {
  return heading !== undefined && at - heading >= -AHEAD && at - heading <= BEHIND;
}
