import { createHash } from 'node:crypto';
import type { Words } from '../../packages/index/index.js';
import type { NamedSet } from './named-pages.js';
import { SCRIPTS, type ManualLanguage, type ManualPage } from './manual-pages.js';

export const KINDS = ['title', 'anchor', 'sentence', 'piece'] as const;
export type Kind = (typeof KINDS)[number];
/** The sources of a query for a page that describes one name of a program: the parts of the name, or the name. */
export const NAME_KINDS = ['parts of a name', 'name'] as const;

export interface KnownItem {
  readonly kind: Kind | (typeof NAME_KINDS)[number] | 'named';
  readonly language: ManualLanguage | 'rust' | NamedSet;
  readonly query: string;
  readonly answers: readonly string[];
  /** Half of the queries are for choosing weights, and half for the report. */
  readonly isForChoosing: boolean;
}

const MAX_TITLE_WORDS = 8;
const RARE_WORDS = 4;

/**
 * Makes queries from pages: the words of the title, the text of a link to the page, the rarest words of a sentence, and a piece of a
 * sentence; at most `count` of each kind and language. A title, link text or sentence of several pages with different texts is not used;
 * nor is a link text that is the title of some page. The same pages give the same queries.
 */
export function knownItems(pages: readonly ManualPage[], words: Words, count: number) {
  const textOf = new Map(pages.map((page) => [page.url, hashOf(page.text)]));
  const byText = groupBy(pages, (page) => hashOf(page.text));
  const answersOf = (url: string): string[] => (byText.get(textOf.get(url)!) ?? []).map((page) => page.url);
  const byTitle = groupBy(pages, (page) => `${page.language} ${normal(page.title)}`);
  const bySentence = sentencePages(pages);
  const frequency = frequencies(pages, words);
  const links = linkTexts(pages, textOf);
  const sorted = [...pages].sort((a, b) => (order(a.url) < order(b.url) ? -1 : 1));
  const counts = new Map<string, number>();
  const items: KnownItem[] = [];
  /** Anchor texts that must not be indexed, by the page that they lead to. */
  const heldOut = new Map<string, string>();
  /** Pages that share their title with a page of another text. */
  let sharedTitles = 0;
  /** Queries without any letter in the script of their page: an untranslated text names the English page. */
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
    if (isShared(sameTitle, textOf)) sharedTitles += 1;
    else if (titleWords.length >= 2)
      add('title', page, plain(page.title.slice(0, titleWords[MAX_TITLE_WORDS - 1]?.end)));
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
      (text) => isShared(bySentence.get(`${page.language} ${normal(text)}`) ?? [], textOf),
      words,
      frequency.get(page.language)!,
    );
    if (sentence !== undefined) add('sentence', page, sentence);
    const had = counts.get(`piece ${page.language}`) ?? 0;
    const piece = had < count ? pieceOf(page, pages, textOf) : undefined;
    if (piece !== undefined) add('piece', page, piece);
  }
  return { items, heldOut, sharedTitles, sameText: pages.length - byText.size, otherScript };
}

/** For each page, its longest link text that leads to no other page. */
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

function sentencePages(pages: readonly ManualPage[]): Map<string, ManualPage[]> {
  const found = new Map<string, ManualPage[]>();
  for (const page of pages) {
    for (const sentence of new Set(sentencesOf(page.text).map((one) => `${page.language} ${normal(one)}`))) {
      const others = found.get(sentence);
      if (others) others.push(page);
      else found.set(sentence, [page]);
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
 * The rarest words of a sentence in the middle of the page, in order. Words of no other page are excluded, since no one searches a page by
 * them. A sentence that other pages have too is not used.
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

const MAX_PIECES = 8;
/** The form of a piece: three whole words; six consecutive letters in a script without blanks; two words of Korean. */
const PIECES: Readonly<Record<ManualLanguage, RegExp>> = {
  en: /(?<!\S)[a-z]{4,} [a-z]{4,} [a-z]{4,}(?![\S])/g,
  ru: /(?<!\S)[а-я]{4,} [а-я]{4,} [а-я]{4,}(?![\S])/g,
  zh: /(?<=\p{Script=Han})\p{Script=Han}{6}(?=\p{Script=Han})/gu,
  ja: /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]{6}(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc])/gu,
  ko: /(?<!\S)\p{Script=Hangul}{3,5} \p{Script=Hangul}{3,5}(?![\S])/gu,
};

/**
 * A piece of the text that no other text has. In scripts without blanks it may begin and end within words. Words of Korean lose their last
 * syllable, which is mostly a particle.
 */
function pieceOf(
  { text, language }: ManualPage,
  pages: readonly ManualPage[],
  textOf: ReadonlyMap<string, string>,
): string | undefined {
  const all = [...text.matchAll(PIECES[language])].map(([found]) =>
    language === 'ko' ? found.replace(/\S(?=\s|$)/g, '') : found,
  );
  for (let i = 0; i < Math.min(MAX_PIECES, all.length); i++) {
    const piece = all[Math.floor(((i + 0.5) * all.length) / MAX_PIECES) % all.length]!;
    const parts = piece.split(' ');
    const holders = pages.filter(
      (page) => page.language === language && parts.every((part) => page.text.includes(part)),
    );
    if (!isShared(holders, textOf)) return piece;
  }
  return undefined;
}

function isShared(pages: readonly ManualPage[], textOf: ReadonlyMap<string, string>): boolean {
  return new Set(pages.map(({ url }) => textOf.get(url))).size > 1;
}

const NAME = /(?:struct|enum|trait|fn|macro|union)\.([^/]+)\.html$/;
const MAX_PAGES_OF_NAME = 3;

/** Queries for pages that describe a name of several words, such as `HashMap` and `from_utf8`: its parts, and the name itself. */
export function nameItems(pages: readonly ManualPage[], count: number): KnownItem[] {
  const byName = groupBy(
    pages.filter(({ url }) => NAME.test(url)),
    ({ url }) => NAME.exec(url)![1]!,
  );
  const names = [...byName].flatMap(([name, some]) => {
    const parts = name
      .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3 $2')
      .split(/[ _]/)
      .filter((part) => part !== '');
    const isOne = some.length <= MAX_PAGES_OF_NAME && parts.length > 1 && parts.every((part) => part.length > 1);
    return isOne ? [{ name, parts, answers: some.map(({ url }) => url) }] : [];
  });
  names.sort((a, b) => (order(a.name) < order(b.name) ? -1 : 1));
  return names.slice(0, count).flatMap(({ name, parts, answers }) =>
    NAME_KINDS.map((kind): KnownItem => ({
      kind,
      language: 'rust',
      query: kind === 'name' ? name : parts.join(' ').toLowerCase(),
      answers,
      isForChoosing: false,
    })),
  );
}

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
