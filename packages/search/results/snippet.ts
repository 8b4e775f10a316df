import { setImmediate as nextTurn } from 'node:timers/promises';
import { foldText, HYPHEN, type Words } from '../../index/index.js';
import { plainLine } from './plain-text.js';

/** A piece of a snippet, and whether the piece is a word of the query. */
export interface SnippetPart {
  /** Plain text, not escaped. */
  readonly text: string;
  readonly hit: boolean;
}

export interface SnippetInput {
  readonly words: Words;
  readonly language: string | undefined;
  /** Terms of the query in every form that is searched in the index. */
  readonly terms: ReadonlySet<string>;
  /** Maximum number of characters that the page allows; 0: the page allows no snippet. Default: the usual maximum. */
  readonly most?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_SEARCHED_CHARACTERS = 1_048_576;
/** Other work runs between steps, because a crawl may run in this thread. */
const CHARACTERS_PER_STEP = 65_536;
const MAX_BEGINNINGS = 128;
const MAX_POSITIONS = 400;
/** A Chinese, Japanese or Korean character takes two columns. */
const MAX_SNIPPET_COLUMNS = 240;
/** Two words are close together if at most this number of characters is between them. */
const NEAR = MAX_SNIPPET_COLUMNS / 2;
/** Number of characters before the first hit that are searched for the start of a sentence. */
const BEFORE = 100;
/**
 * Number of characters that are read after a piece, for a word that begins in the piece and ends after it. Marks and soft hyphens count.
 */
const OVERLAP = 256;
const MAX_SKIPPED_MARKS = 8;
/** Marks, and invisible characters within words. */
const NO_LETTER = /[\p{M}\u00ad\u200c\u200d\u2060\ufeff]/u;
/** Matches a word of a script that separates words by blanks. */
const SPELT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
const MAX_PART_CHARACTERS = 400;
/** Matches the text after a title that is the subject of a sentence, or a part of a word. */
const IN_SENTENCE = /^(?:\S|\s+[\p{Ll}(,\u2013\u2014-])/u;
const SENTENCE_END = /[.!?\u2026]["'\u201d\u2019)\]]?\s+|[\u3002\uff01\uff1f\uff0e]\s*|\n+/g;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3ffff}]/u;

/**
 * Selects the part of a text to show for a query. The first text that has a word of the query is used. In this text, the part with the most
 * words of the query is shown. The part begins with a sentence if a sentence begins nearby. If no text has a word of the query, the
 * beginning of `otherwise` is shown.
 *
 * All forms of the words are marked, because the tokenizer of the index finds them. The tokenizer is slow, so it runs only near places
 * where a search for letters has found the beginning of a word. Between pieces of a long text, other work can run.
 * @param otherwise default: the first text
 */
export async function makeSnippet(
  texts: readonly string[],
  input: SnippetInput,
  otherwise: string = texts[0] ?? '',
): Promise<readonly SnippetPart[]> {
  // The marks of a cut text take up to four columns.
  const columns = Math.min(MAX_SNIPPET_COLUMNS, (input.most ?? Infinity) - 4);
  if (columns <= 0) return [];
  const beginnings = beginningsOf(input.terms);
  /** A part in which a word of the query occurs only inside another word. */
  let near: readonly SnippetPart[] | undefined;
  for (const text of texts) {
    const whole = text.slice(0, MAX_SEARCHED_CHARACTERS);
    const place = await bestPlace(whole, beginnings, input.signal);
    if (place === undefined) continue;
    const parts = partAt(whole, place, columns, input);
    if (parts.some(({ hit }) => hit)) return parts;
    near ??= parts;
  }
  return near ?? partAt(otherwise.slice(0, MAX_SEARCHED_CHARACTERS), 0, columns, input);
}

function partAt(whole: string, place: number, columns: number, input: SnippetInput): readonly SnippetPart[] {
  const start = startOf(whole, place);
  const part = whole.slice(start, start + MAX_PART_CHARACTERS).replace(/[\ud800-\udbff]$/, '');
  const shown = shownEnd(part, columns);
  const isCut = start + shown < whole.trimEnd().length;
  const parts = markHits(part.slice(0, shown), input);
  return joined([
    ...(start > 0 && !beginsSentence(whole, start) ? [{ text: '\u2026 ', hit: false }] : []),
    ...parts,
    ...(isCut && !/[.!?\u3002\uff01\uff1f]\s*$/.test(part.slice(0, shown)) ? [{ text: ' \u2026', hit: false }] : []),
  ]);
}

/**
 * Removes the title from the beginning of a text, at most `times` times, because the title is shown above the snippet anyway. A title that
 * begins a sentence stays.
 */
export function withoutTitle(text: string, title: string, times: number): string {
  const rest = text.trimStart();
  if (title === '' || times === 0 || !rest.startsWith(title) || IN_SENTENCE.test(rest.slice(title.length))) return rest;
  return withoutTitle(rest.slice(title.length), title, times - 1);
}

/** Marks the words of a query in a short text. Longer words and names that contain a word of the query are marked too. */
function markHits(
  text: string,
  { words, language, terms }: Pick<SnippetInput, 'words' | 'language' | 'terms'>,
): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  let at = 0;
  const partsOf = (word: string): readonly string[] => {
    const { names, letters } = words.index(word, language);
    return [...names, ...letters];
  };
  const isHit = (term: string): boolean => terms.has(term) || terms.has(words.stem(term, language));
  const all = words.split(text, language);
  for (const [i, { term, start, end: wordEnd }] of all.entries()) {
    const next = all[i + 1];
    const isJoined = next && HYPHEN.test(text.slice(wordEnd, next.start)) && isHit(term + next.term);
    const end = isJoined ? next.end : wordEnd;
    if (start < at || (!isJoined && !isHit(term) && !partsOf(text.slice(start, end)).some(isHit))) continue;
    if (start > at) parts.push({ text: text.slice(at, start), hit: false });
    parts.push({ text: text.slice(start, end), hit: true });
    at = end;
  }
  if (at < text.length) parts.push({ text: text.slice(at), hit: false });
  return parts;
}

/** A place in a text where a word of the query may be, and the beginning of that word. */
interface Place {
  readonly at: number;
  readonly what: string;
}

/**
 * Finds the place where the most different words of the query are close together. The search ends at a place that has all words. Undefined:
 * the text has no word of the query.
 */
async function bestPlace(
  text: string,
  beginnings: readonly string[],
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  if (beginnings.length === 0) return undefined;
  const pattern = new RegExp(beginnings.map(patternOf).join('|'), 'gu');
  let places: readonly Place[] = [];
  let best: number | undefined;
  let most = 0;
  for (let from = 0, looked = 0; from < text.length && looked < MAX_POSITIONS; from += CHARACTERS_PER_STEP) {
    if (from > 0) {
      await nextTurn();
      signal?.throwIfAborted();
    }
    const found = positionsIn(text, from, pattern).slice(0, MAX_POSITIONS - looked);
    looked += found.length;
    // Of the earlier places, only those that may be close to a place in this piece are needed.
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

/** Returns the pattern of a beginning. A hyphen may be between its letters. */
function patternOf(beginning: string): string {
  const letters = [...beginning].map((letter) => letter.replace(/[.+*?^${}()|[\]\\]/, '\\$&'));
  return letters.join(SPELT.test(beginning) ? '-?' : '');
}

/** Returns the places in a piece of a text, including places of words that begin in the piece and end after it. */
function positionsIn(text: string, from: number, pattern: RegExp): Place[] {
  const folded = foldText(text.slice(from, from + CHARACTERS_PER_STEP + OVERLAP));
  const places: Place[] = [];
  for (const { 0: found, index } of folded.text.matchAll(pattern)) {
    const at = folded.positionOf(index);
    if (at >= CHARACTERS_PER_STEP || places.length >= MAX_POSITIONS) break;
    const what = found.replaceAll('-', '');
    if (SPELT.test(what) && isAmidWord(text, from + at)) continue;
    places.push({ at: from + at, what });
  }
  return places;
}

function isAmidWord(text: string, place: number): boolean {
  let before = place - 1;
  while (before > place - MAX_SKIPPED_MARKS && NO_LETTER.test(text[before] ?? ' ')) before--;
  return /\p{L}/u.test(text[before] ?? ' ');
}

/**
 * Returns the beginnings of the words of the query, in lower case. A beginning that starts with a shorter beginning is dropped, because the
 * shorter one finds the same words.
 */
function beginningsOf(terms: ReadonlySet<string>): string[] {
  const all = [...new Set([...terms].map((term) => beginningOf(term).toLowerCase()))].filter((each) => each !== '');
  const shortest = all.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const kept: string[] = [];
  for (const each of shortest) if (!kept.some((other) => each.startsWith(other))) kept.push(each);
  return kept.slice(0, MAX_BEGINNINGS).reverse();
}

/** Returns the common beginning of all forms of a stemmed word. The last letter is dropped, because the stemmer may have changed it. */
function beginningOf(term: string): string {
  const letters = [...term];
  return letters.length > 4 && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u.test(term)
    ? letters.slice(0, -1).join('')
    : term;
}

/** Returns the position at which the shown part begins, so that `place` is in it: the start of a sentence, or else the start of a word. */
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

/** Returns the position at which the part ends: after the last sentence that ends in the last third, or else after the last word. */
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

/**
 * Merges neighbouring pieces that are both words of the query, or both not. Also makes their text plain, and keeps the blanks between
 * pieces.
 */
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
