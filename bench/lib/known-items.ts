import { createHash } from 'node:crypto';
import type { Words } from '../../packages/index/index.js';
import { SCRIPTS, type ManualLanguage, type ManualPage } from './manual-pages.js';

/** What a query was made of. */
export const KINDS = ['title', 'anchor', 'sentence'] as const;
/** One of them. */
export type Kind = (typeof KINDS)[number];

/** A query, and the pages that answer it: one page, and those with the same text under other URLs. */
export interface KnownItem {
  readonly kind: Kind;
  readonly language: ManualLanguage;
  readonly query: string;
  readonly answers: readonly string[];
  /** Of two halves: one to choose weights by, one to report. */
  readonly isForChoosing: boolean;
}

/** The queries, what must be left out of the index for them, and how many pages could not be asked for. */
export interface KnownItems {
  readonly items: readonly KnownItem[];
  /** Anchor texts that the index must not hold, by the page that they lead to. */
  readonly heldOut: ReadonlyMap<string, string>;
  /** Pages whose title others of another text have too. */
  readonly sharedTitles: number;
  /** Pages whose text is that of another page too. */
  readonly sameText: number;
  /** Queries left out as they have no letter of the script of their page: what was not translated names the English page. */
  readonly otherScript: number;
}

const MOST_TITLE_WORDS = 8;
const RARE_WORDS = 4;

/**
 * Makes queries of pages: the words of its title, the text of a link to it, and the rarest words of a sentence of it, at
 * most `count` of each kind and language. A title, a link text or a sentence that leads to pages of different texts names
 * no page, and is not asked for; nor is a link text that is the title of some page. The same pages give the same queries.
 */
export function knownItems(pages: readonly ManualPage[], words: Words, count: number): KnownItems {
  const textOf = new Map(pages.map((page) => [page.url, hashOf(page.text)]));
  const byText = groupBy(pages, (page) => hashOf(page.text));
  const answersOf = (url: string): string[] => (byText.get(textOf.get(url)!) ?? []).map((page) => page.url);
  const byTitle = groupBy(pages, (page) => `${page.language} ${normal(page.title)}`);
  const isShared = (urls: readonly string[]): boolean => new Set(urls.map((url) => textOf.get(url))).size > 1;
  const bySentence = sentencePages(pages);
  const frequency = frequencies(pages, words);
  const links = linkTexts(pages, textOf);
  const sorted = [...pages].sort((a, b) => (order(a.url) < order(b.url) ? -1 : 1));
  const counts = new Map<string, number>();
  const items: KnownItem[] = [];
  const heldOut = new Map<string, string>();
  let sharedTitles = 0;
  let otherScript = 0;

  const add = (kind: Kind, { language, url }: ManualPage, query: string): boolean => {
    const name = `${kind} ${language}`;
    const had = counts.get(name) ?? 0;
    if (had >= count || query.trim() === '') return false;
    if (query.search(SCRIPTS[language]) === -1) {
      otherScript += 1;
      return false;
    }
    counts.set(name, had + 1);
    items.push({ kind, language, query, answers: answersOf(url), isForChoosing: had % 2 === 0 });
    return true;
  };
  const seen = new Set<string>();
  for (const page of sorted) {
    if (seen.has(textOf.get(page.url)!)) continue;
    seen.add(textOf.get(page.url)!);
    const sameTitle = byTitle.get(`${page.language} ${normal(page.title)}`)!;
    const titleWords = words.split(page.title, page.language);
    if (isShared(sameTitle.map(({ url }) => url))) sharedTitles += 1;
    else if (titleWords.length >= 2)
      add('title', page, plain(page.title.slice(0, titleWords[MOST_TITLE_WORDS - 1]?.end)));
    const anchor = links.get(page.url);
    if (
      anchor !== undefined &&
      !byTitle.has(`${page.language} ${normal(anchor)}`) &&
      words.split(anchor, page.language).length >= 2
    ) {
      if (add('anchor', page, plain(anchor))) heldOut.set(page.url, anchor);
    }
    const sentence = rareWords(
      page,
      (text) => isShared(bySentence.get(`${page.language} ${normal(text)}`) ?? []),
      words,
      frequency.get(page.language)!,
    );
    if (sentence !== undefined) add('sentence', page, sentence);
  }
  return { items, heldOut, sharedTitles, sameText: pages.length - byText.size, otherScript };
}

/** A text that leads to one page only, for each page that has one; the longest. */
function linkTexts(pages: readonly ManualPage[], textOf: ReadonlyMap<string, string>): Map<string, string> {
  const targets = new Map<string, Set<string>>();
  const texts = new Map<string, Set<string>>();
  for (const { links, language } of pages) {
    for (const { url, anchor } of links) {
      if (!textOf.has(url) || anchor.trim() === '') continue;
      const key = `${language} ${normal(anchor)}`;
      targets.set(key, (targets.get(key) ?? new Set()).add(textOf.get(url)!));
      texts.set(url, (texts.get(url) ?? new Set()).add(anchor.trim()));
    }
  }
  const found = new Map<string, string>();
  for (const { url, language, title } of pages) {
    const own = [...(texts.get(url) ?? [])].filter(
      (text) => targets.get(`${language} ${normal(text)}`)?.size === 1 && normal(text) !== normal(title),
    );
    own.sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    if (own[0] !== undefined && own[0].length < 100) found.set(url, own[0]);
  }
  return found;
}

function frequencies(pages: readonly ManualPage[], words: Words): Map<ManualLanguage, Map<string, number>> {
  const found = new Map<ManualLanguage, Map<string, number>>();
  for (const { language, text } of pages) {
    const counts = found.get(language) ?? new Map<string, number>();
    found.set(language, counts);
    for (const term of new Set(words.split(text, language).map((word) => word.term)))
      counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  return found;
}

/** The pages that each sentence is in. */
function sentencePages(pages: readonly ManualPage[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { url, language, text } of pages) {
    for (const sentence of new Set(sentencesOf(text).map((one) => `${language} ${normal(one)}`))) {
      const urls = found.get(sentence);
      if (urls) urls.push(url);
      else found.set(sentence, [url]);
    }
  }
  return found;
}

function sentencesOf(text: string): string[] {
  return text
    .split(/[.!?\u3002\uff01\uff1f]\s*|\n+/)
    .filter((sentence) => sentence.length >= 15 && sentence.length <= 300);
}

/**
 * The rarest words of a sentence amid the page, in their order; of words that no other page has it takes none, since
 * nobody looks for a page by them. A sentence that other pages have too names no page.
 */
function rareWords(
  { text, language }: ManualPage,
  isOfOthers: (sentence: string) => boolean,
  words: Words,
  frequency: ReadonlyMap<string, number>,
): string | undefined {
  const sentences = sentencesOf(text).filter((sentence) => !isOfOthers(sentence));
  const sentence = sentences[Math.floor(sentences.length / 2)];
  if (sentence === undefined) return undefined;
  const all = words
    .split(sentence, language)
    .filter(({ term }) => (frequency.get(term) ?? 0) >= 2 && /\p{L}/u.test(term));
  const distinct = [...new Map(all.map((word) => [word.term, word])).values()];
  if (distinct.length < RARE_WORDS) return undefined;
  const rarest = [...distinct]
    .sort((a, b) => frequency.get(a.term)! - frequency.get(b.term)! || a.start - b.start)
    .slice(0, RARE_WORDS);
  return rarest
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => sentence.slice(start, end))
    .join(' ');
}

/** Without what a query would take for an operator or a quote. */
function plain(text: string): string {
  return text
    .replace(/["\u201c\u201d\u300c\u300d:\uff1a]/g, ' ')
    .replace(/(^|\s)-+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function normal(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** An order that has nothing to do with the URL, and is always the same. */
function order(url: string): string {
  return createHash('md5').update(url).digest('hex');
}

function hashOf(text: string): string {
  return createHash('md5').update(normal(text)).digest('hex');
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}
