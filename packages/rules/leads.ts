import type { HostLeads, Led } from '../../webtable/index.js';
import { hashOf } from '../util/index.js';

/** Where pages of hosts led is known by about so many of a form; when the next batch comes, of more only a part is left. */
const REMEMBERED = 64;
/** Forms of one host that are told apart. */
const FORMS = 256;
const NOTHING: Led = [0, 0];
/** Lots of URLs. */
const LOTS = 1_000_003;

/** Nothing is known yet. */
export const NO_LEADS: HostLeads = { useful: NOTHING, forms: {}, upTo: {} };

/** What some pages have shown of where they lead. */
export type ShownLeads = Pick<HostLeads, 'useful' | 'forms'>;

/**
 * By what pages of a host are counted together: the form of their URLs, which is the first part of the path, what words and numbers come after it, and the
 * names of the parameters, `/tag/w#?page`. It is one of 256 names, so that what is known of a host is bounded, in whatever order it comes; two
 * forms seldom have the same.
 */
export function leadForm(url: string): string {
  return String(hashOf(formOf(url)) % FORMS);
}

function formOf(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2));
  const mark = path.indexOf('?');
  const parts = (mark < 0 ? path : path.slice(0, mark)).split('/');
  const form = parts.map((part, i) => formOfPart(part, i === 1 && i < parts.length - 1)).join('/');
  if (mark < 0) return form;
  const names = path
    .slice(mark + 1)
    .split('&')
    .map((part) => part.split('=', 1)[0]!);
  return `${form}?${names.join('&')}`;
}

function formOfPart(part: string, isSection: boolean): string {
  if (part === '') return '';
  if (/^\d+$/.test(part)) return '#';
  if (/\d/.test(part)) return 'w#';
  return isSection ? part : 'w';
}

/** The sum of what was known and what more pages have shown. */
export function addLeads({ useful, forms }: ShownLeads, more: ShownLeads): ShownLeads {
  const sums = new Map(Object.entries(forms));
  for (const [form, led] of Object.entries(more.forms)) sums.set(form, plus(sums.get(form) ?? NOTHING, led));
  return { useful: plus(useful, more.useful), forms: Object.fromEntries(sums) };
}

/** What is left of what was known when the next batch comes, so that pages of long ago count less and less. */
export function agedLeads({ useful, forms }: ShownLeads): ShownLeads {
  const left = Object.entries(forms).map(([form, led]) => [form, aged(led)] as const);
  return { useful: aged(useful), forms: Object.fromEntries(left) };
}

const plus = ([pages, found]: Led, [morePages, moreFound]: Led): Led => [pages + morePages, found + moreFound];

function aged([pages, found]: Led): Led {
  // By powers of two, so that sums stay exact.
  const part = 2 ** -Math.max(0, Math.ceil(Math.log2(pages / REMEMBERED)));
  return [pages * part, found * part];
}

/** Useful pages to which one page was the first to lead; low of few pages. */
const yieldOf = ([pages, found]: Led): number => found / (pages + 1);

/**
 * Whether a page that is not useful itself is among those that are to show useful ones. Of pages with URLs of its form it is a share, drawn by
 * the URL: `explore` for each useful page, but the first, to which one of them was the first to lead, and the less of that the more
 * the useful pages of the host lead to others by themselves.
 */
export function isExplored({ useful, forms }: ShownLeads, url: string, explore: number): boolean {
  const led = forms[leadForm(url)];
  if (!led) return false;
  const share = explore * (yieldOf(led) - 1) * (1 - Math.min(1, yieldOf(useful)));
  return (hashOf(url) % LOTS) / LOTS < share;
}
