import { mix } from './made-page.js';
import type { NewsSite } from './news-sites.js';

const NEWEST = Date.UTC(2026, 9, 31);
const DAY = 86_400_000;
const OF_DIGIT = [0, 1, 0, 2, 3, 0, 1, 4, 2, 5] as const;
const DIGITS = [0, 1, 2, 3, 4, 5].map((section) => OF_DIGIT.flatMap((one, digit) => (one === section ? [digit] : [])));
/** This number of a hundred articles is listed only in the archive. */
const HIDDEN = 8;

export const SECTIONS = ['world', 'politics', 'business', 'sport', 'culture', 'science'] as const;
export const AUTHORS = 8;

export function sectionOf(article: number): number {
  return OF_DIGIT[article % 10]!;
}

function placeInSection(article: number): number {
  const digits = DIGITS[sectionOf(article)]!;
  return Math.floor(article / 10) * digits.length + digits.indexOf(article % 10);
}

export function atPlace(section: number, place: number): number {
  const digits = DIGITS[section]!;
  return Math.floor(place / digits.length) * 10 + digits[place % digits.length]!;
}

export function isHidden(site: NewsSite, article: number): boolean {
  return !site.hasNeighbours && mix(site.seed, article, 1) % 100 < HIDDEN;
}

export function shown(site: NewsSite, articles: readonly number[]): number[] {
  return [...new Set(articles)].filter((one) => one >= 0 && one < site.articles && !isHidden(site, one));
}

/** Related articles: four near it in its section, and one of any time. */
export function relatedTo(site: NewsSite, article: number): number[] {
  if (!site.hasRelated) return [];
  const [section, place] = [sectionOf(article), placeInSection(article)];
  const near = [2, 3, 4, 5].map((salt) => place - 20 + (mix(site.seed, article, salt) % 41));
  const all = [...near.filter((one) => one >= 0).map((one) => atPlace(section, one)), anyOf(site, article, 6)];
  return shown(site, all).filter((one) => one !== article);
}

export function anyOf(site: NewsSite, ...numbers: readonly number[]): number {
  return mix(site.seed, ...numbers) % site.articles;
}

/** Year, month and date of a day. Days of the site are counted backward from the newest. */
export function dateOf(day: number): { readonly year: number; readonly month: number; readonly date: number } {
  const at = new Date(NEWEST - day * DAY);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() };
}

/** The day of a date, even if it has no articles. */
export function dayOf(year: number, month: number, date: number): number {
  return Math.round((NEWEST - Date.UTC(year, month - 1, date)) / DAY);
}

export function daysOf(site: NewsSite): number {
  return Math.ceil(site.articles / site.perDay);
}

export function articlesOf(site: NewsSite, day: number): number[] {
  const first = day * site.perDay;
  const end = Math.min(site.articles, first + site.perDay);
  return day < 0 ? [] : Array.from({ length: Math.max(0, end - first) }, (_, i) => first + i);
}

export function daysOfMonth(site: NewsSite, year: number, month: number): number[] {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const days = Array.from({ length: last }, (_, i) => dayOf(year, month, last - i));
  return days.filter((day) => day >= 0 && day < daysOf(site));
}
