import { diffArrays } from 'diff';

/** A line of a diff, or a part of a line. The text is untrusted. */
export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
}

/** The changes of the main content of a page, as lines of text. */
export interface TextDiff {
  /** Numbers of added and of removed words. */
  readonly added: number;
  readonly removed: number;
  /** The share of words that are equal in both texts, from 0 to 1. */
  readonly similarity: number;
  /** Added and removed lines, each with one line before and after it. The number of lines is limited. */
  readonly lines: readonly DiffLine[];
  /**
   * The changed places of the text: the inserted and deleted words of each, with some equal words around them. The number of parts is
   * limited.
   */
  readonly places: readonly (readonly DiffLine[])[];
  /** true: more lines or parts were left out. */
  readonly isCut?: true;
}

/** A diff. If there is no diff: the reason, as text for people. */
export type ChangeDiff = TextDiff | { readonly missing: string };

const MAX_DIFF_MS = 2000;
const [MAX_LINES, MAX_LINE_LENGTH] = [200, 500];
const CONTEXT_WORDS = 8;

/**
 * Compares two texts line by line. Words are compared only between the changed lines.
 * @param maxMs maximum milliseconds
 */
export function diffTexts(before: string, after: string, maxMs = MAX_DIFF_MS): ChangeDiff {
  const until = performance.now() + maxMs;
  const parts = differences(linesOf(before), linesOf(after), until);
  if (!parts) return { missing: 'the versions differ so much that comparing them takes too long' };
  const words = { '+': 0, '-': 0, ' ': 0 };
  const lines: DiffLine[] = [];
  const places: (readonly DiffLine[])[] = [];
  let left = MAX_LINES;
  for (const [i, { value, added, removed }] of parts.entries()) {
    const [last, next] = [parts[i - 1], parts[i + 1]];
    const sign = signOf({ added, removed });
    // Removed lines come before the added lines that replace them.
    const isReplaced = removed && next?.added;
    const compared = isReplaced
      ? differencesOfWords(wordsOf(value), wordsOf(next.value), until)
      : added && last?.removed
        ? []
        : [{ sign, words: wordsOf(value) }];
    for (const { sign: of, words: some } of compared) words[of] += some.length;
    if (compared.some(({ sign: of }) => of !== ' ') && left > 0) {
      places.push(compared.slice(0, left).map((part, at) => shownPart(part, at > 0, at + 1 < compared.length)));
      left -= compared.length;
    }
    const shown = sign === ' ' ? around(value, i > 0, next !== undefined) : value;
    for (const text of shown) lines.push({ sign, text: text.slice(0, MAX_LINE_LENGTH) });
  }
  const { '+': added, '-': removed, ' ': same } = words;
  const all = 2 * same + added + removed;
  return {
    added,
    removed,
    similarity: all === 0 ? 1 : (2 * same) / all,
    lines: lines.slice(0, MAX_LINES),
    places,
    ...((lines.length > MAX_LINES || left < 0) && { isCut: true }),
  };
}

/** @param until the end of the allowed time, by `performance.now()`; undefined is returned after it */
function differences(before: string[], after: string[], until: number) {
  return diffArrays(before, after, { timeout: Math.max(1, until - performance.now()) });
}

interface WordPart {
  readonly sign: DiffLine['sign'];
  readonly words: readonly string[];
}

function signOf({ added, removed }: { readonly added: boolean; readonly removed: boolean }): DiffLine['sign'] {
  return added ? '+' : removed ? '-' : ' ';
}

/** Compares the words of lines that were replaced by other lines. If this takes too long, all of these words count as replaced. */
function differencesOfWords(from: string[], to: string[], until: number): readonly WordPart[] {
  const parts = differences(from, to, until);
  if (parts) return parts.map(({ value, ...part }) => ({ sign: signOf(part), words: value }));
  return [
    { sign: '-', words: from },
    { sign: '+', words: to },
  ];
}

/** The text of a part. Of many equal words, those beside a change are kept. */
function shownPart({ sign, words }: WordPart, isBehind: boolean, isBefore: boolean): DiffLine {
  const kept =
    sign === ' ' && words.length > 2 * CONTEXT_WORDS
      ? [...(isBehind ? words.slice(0, CONTEXT_WORDS) : []), '…', ...(isBefore ? words.slice(-CONTEXT_WORDS) : [])]
      : words;
  return { sign, text: kept.join(' ').slice(0, MAX_LINE_LENGTH) };
}

/**
 * Returns the context of changes from the equal lines between them: the line after a change, and the line before the next change.
 * @param isBehind whether there is a change before these lines
 * @param isBefore whether there is a change after these lines
 */
function around(texts: readonly string[], isBehind: boolean, isBefore: boolean): readonly string[] {
  if (texts.length <= 2) return isBehind || isBefore ? texts : [];
  return [...(isBehind ? texts.slice(0, 1) : []), ...(isBefore ? texts.slice(-1) : [])];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}

function wordsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.match(/\S+/g) ?? []);
}
