import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Words } from '../../index/index.js';
import { plainLine } from './plain-text.js';

/** A piece of a snippet, and whether it is a word of the query. */
export interface SnippetPart {
  /** Plain text, not escaped. */
  readonly text: string;
  readonly hit: boolean;
}

/** What a snippet is made for. */
export interface SnippetInput {
  readonly words: Words;
  /** Of the page, BCP 47. */
  readonly language: string | undefined;
  /** Terms of the query in every form that the index is asked for. */
  readonly terms: ReadonlySet<string>;
  /** Characters at the most, as the page says; 0 none. Default: as many as are shown of any page. */
  readonly most?: number | undefined;
  /** Ends the work. */
  readonly signal?: AbortSignal | undefined;
}

/** Characters of a text that are looked through, and of them without a pause: a crawl may go on in this thread. */
const MAX_TEXT = 1_048_576;
const PIECE = 65_536;
/** Beginnings of words that are looked for. */
const MAX_BEGINNINGS = 128;
/** Places in a text where a word may be that are looked at. */
const MAX_PLACES = 400;
/** Columns of a snippet: one of Chinese, Japanese or Korean takes two. */
const COLUMNS = 240;
/** Characters between words that are close together. */
const NEAR = COLUMNS / 2;
/** Characters before the first hit, in which a sentence may begin. */
const BEFORE = 100;
/** Characters of a part that is split into words, at the most. */
const PART = 400;
const SENTENCE_END = /[.!?\u2026]["'\u201d\u2019)\]]?\s+|[\u3002\uff01\uff1f\uff0e]\s*|\n+/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3ffff}]/u;

/**
 * A part of a text that shows words of a query: the one that holds the most of them, from the beginning of a sentence
 * where one is near. Words are found by the tokenizer of the index, so that all their forms are marked, but only near
 * places where a letter-by-letter search finds their beginnings: the work is bounded on any text. A text without a word
 * of the query gives its beginning. Other work goes on between pieces of a long text.
 */
export async function makeSnippet(text: string, input: SnippetInput): Promise<readonly SnippetPart[]> {
  // What says that it is cut counts too.
  const columns = Math.min(COLUMNS, (input.most ?? Infinity) - 4);
  if (columns <= 0) return [];
  const whole = text.slice(0, MAX_TEXT);
  const start = startOf(whole, await bestPlace(whole, input));
  const part = whole.slice(start, start + PART).replace(/[\ud800-\udbff]$/, '');
  const shown = shownEnd(part, columns);
  const isCut = start + shown < whole.trimEnd().length;
  const parts = markHits(part.slice(0, shown), input);
  return joined([
    ...(start > 0 && !beginsSentence(whole, start) ? [{ text: '\u2026 ', hit: false }] : []),
    ...parts,
    ...(isCut && !/[.!?\u3002\uff01\uff1f]\s*$/.test(part.slice(0, shown)) ? [{ text: ' \u2026', hit: false }] : []),
  ]);
}

/** The text behind the title and a heading of the same words, with which the text of a page begins, as the title is shown above it. */
export function withoutTitle(text: string, title: string): string {
  let rest = text.trimStart();
  while (title !== '' && rest.startsWith(title) && !/^\S/.test(rest.slice(title.length, title.length + 1))) {
    rest = rest.slice(title.length).trimStart();
  }
  return rest;
}

/** Marks the words of a query in a short text, such as a title. */
export function markHits(
  text: string,
  { words, language, terms }: Pick<SnippetInput, 'words' | 'language' | 'terms'>,
): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  for (const { term, start, end } of words.split(text, language)) {
    if (!terms.has(term) && !terms.has(words.stem(term, language))) continue;
    if (start > at) parts.push({ text: text.slice(at, start), hit: false });
    parts.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at), hit: false });
  return parts;
}

/** A place in a text where a word of the query may be, and what it begins with. */
interface Place {
  readonly at: number;
  readonly what: string;
}

/**
 * Where the text has the most different words of the query close together; 0 where it has none. It looks no further where all of them
 * are.
 */
async function bestPlace(text: string, { terms, signal }: Pick<SnippetInput, 'terms' | 'signal'>): Promise<number> {
  const beginnings = beginningsOf(terms);
  if (beginnings.length === 0) return 0;
  const pattern = new RegExp(beginnings.map((each) => each.replace(/[.+*?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gu');
  const longest = Math.max(...beginnings.map(({ length }) => length));
  let places: readonly Place[] = [];
  let best = 0;
  let most = 0;
  for (let from = 0, looked = 0; from < text.length && looked < MAX_PLACES; from += PIECE) {
    if (from > 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const found = placesIn(text, from, pattern, longest).slice(0, MAX_PLACES - looked);
    looked += found.length;
    // Of the piece before only what may be near.
    places = [...places.filter(({ at }) => from - at < NEAR), ...found];
    for (const [i, { at }] of places.entries()) {
      const near = new Set<string>();
      for (let next = i; next < places.length && places[next]!.at - at < NEAR; next++) near.add(places[next]!.what);
      if (near.size > most) [most, best] = [near.size, at];
    }
    if (most === beginnings.length) break;
  }
  return best;
}

/** The places in a piece of a text, also of what it only begins. */
function placesIn(text: string, from: number, pattern: RegExp, longest: number): Place[] {
  // The one capital letter that is two small ones would move all behind it.
  const piece = text
    .slice(from, from + PIECE + longest)
    .replaceAll('\u0130', 'i')
    .toLowerCase();
  const places: Place[] = [];
  for (const { 0: what, index } of piece.matchAll(pattern)) {
    if (index >= PIECE || places.length >= MAX_PLACES) break;
    // Amid a word of letters it is another word.
    const before = text[from + index - 1] ?? ' ';
    if (/^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u.test(what) && /\p{L}/u.test(before)) continue;
    places.push({ at: from + index, what });
  }
  return places;
}

/** What the words of a query begin with, in small letters, the longest first. What begins with another of them is found by that. */
function beginningsOf(terms: ReadonlySet<string>): string[] {
  const all = [...new Set([...terms].map((term) => beginningOf(term).toLowerCase()))].filter((each) => each !== '');
  const shortest = all.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const kept: string[] = [];
  for (const each of shortest) if (!kept.some((other) => each.startsWith(other))) kept.push(each);
  return kept.slice(0, MAX_BEGINNINGS).reverse();
}

/** What all forms of a stemmed word begin with: its last letter may be one that the stemmer made. */
function beginningOf(term: string): string {
  const letters = [...term];
  return letters.length > 4 && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u.test(term)
    ? letters.slice(0, -1).join('')
    : term;
}

/** Where to begin so that `place` is shown: at a sentence, else at a word. */
function startOf(text: string, place: number): number {
  const from = Math.max(0, place - BEFORE);
  if (from === 0 && place <= BEFORE) {
    const last = [...text.slice(0, place).matchAll(SENTENCE_END)].at(-1);
    return last ? last.index + last[0].length : 0;
  }
  const before = text.slice(from, place);
  const last = [...before.matchAll(SENTENCE_END)].at(-1);
  if (last) return from + last.index + last[0].length;
  const near = text.slice(place - 40, place);
  const blank = near.search(/\s\S/);
  const start = blank === -1 ? place - 20 : place - 40 + blank + 1;
  return /[\udc00-\udfff]/.test(text[start] ?? '') ? start + 1 : start;
}

function beginsSentence(text: string, start: number): boolean {
  return /(?:[.!?\u2026]["'\u201d\u2019)\]]?\s+|[\u3002\uff01\uff1f\uff0e]\s*|\n)$/.test(
    text.slice(Math.max(0, start - 5), start),
  );
}

/** Where to end: behind the last sentence that fits where one ends in the last third, else behind the last word. */
function shownEnd(part: string, most: number): number {
  let columns = 0;
  let end = 0;
  for (const character of part) {
    columns += WIDE.test(character) ? 2 : 1;
    if (columns > most) break;
    end += character.length;
  }
  if (end === part.length) return end;
  const fitting = part.slice(0, end);
  const sentence = [...fitting.matchAll(SENTENCE_END)].at(-1);
  if (sentence && sentence.index + sentence[0].length > (end * 2) / 3) return sentence.index + sentence[0].length;
  const blank = fitting.search(/\s\S*$/);
  return blank > end / 2 ? blank : end;
}

/** Neighbours of one kind become one; text is made plain, and blanks between pieces are kept. */
function joined(parts: readonly SnippetPart[]): readonly SnippetPart[] {
  const found: { text: string; hit: boolean }[] = [];
  for (const { text, hit } of parts) {
    const line = `${/^\s/.test(text) ? ' ' : ''}${plainLine(text)}${/\S[^]*\s$/.test(text) ? ' ' : ''}`;
    const last = found.at(-1);
    if (last && last.hit === hit) last.text += line;
    else if (line !== '') found.push({ text: line, hit });
  }
  if (found[0]) found[0].text = found[0].text.trimStart();
  const last = found.at(-1);
  if (last) last.text = last.text.trimEnd();
  return found.filter(({ text }) => text !== '');
}
