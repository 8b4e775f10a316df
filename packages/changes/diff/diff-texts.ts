import { diffArrays } from 'diff';

/** A line of a diff. The text is untrusted. */
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
  /** true: further lines were omitted. */
  readonly isCut?: true;
}

/** A diff. If there is no diff: the reason, as text for people. */
export type ChangeDiff = TextDiff | { readonly missing: string };

/** Maximum milliseconds for comparing two texts. */
const LONGEST_TIME = 2000;
const [MOST_LINES, LONGEST_LINE] = [200, 500];

/** Compares two texts line by line. Words are compared only between the changed lines. */
export function diffTexts(before: string, after: string): ChangeDiff {
  const until = performance.now() + LONGEST_TIME;
  const parts = differences(linesOf(before), linesOf(after), until);
  if (!parts) return { missing: 'the versions differ so much that comparing them takes too long' };
  const words = { added: 0, removed: 0, same: 0 };
  const lines: DiffLine[] = [];
  for (const [i, { value, added, removed }] of parts.entries()) {
    const next = parts[i + 1];
    // Removed lines come before the added lines that replace them.
    if (removed && next?.added) countWords(words, value, next.value, until);
    else if (!(added && parts[i - 1]?.removed))
      words[added ? 'added' : removed ? 'removed' : 'same'] += wordsOf(value).length;
    const sign = added ? '+' : removed ? '-' : ' ';
    const shown = sign === ' ' ? around(value, i > 0, next !== undefined) : value;
    for (const text of shown) lines.push({ sign, text: text.slice(0, LONGEST_LINE) });
  }
  const { added, removed, same } = words;
  const all = 2 * same + added + removed;
  return {
    added,
    removed,
    similarity: all === 0 ? 1 : (2 * same) / all,
    lines: lines.slice(0, MOST_LINES),
    ...(lines.length > MOST_LINES && { isCut: true }),
  };
}

/** @param until the end of the allowed time, by `performance.now()`; undefined is returned after it */
function differences(before: string[], after: string[], until: number) {
  return diffArrays(before, after, { timeout: Math.max(1, until - performance.now()) });
}

/** Counts the words of lines that were replaced by other lines. If the comparison takes too long, all of these words count as replaced. */
function countWords(
  words: { added: number; removed: number; same: number },
  before: readonly string[],
  after: readonly string[],
  until: number,
): void {
  const [from, to] = [wordsOf(before), wordsOf(after)];
  const parts = differences(from, to, until);
  const same = parts?.reduce((sum, { added, removed, count }) => sum + (added || removed ? 0 : count), 0) ?? 0;
  words.same += same;
  words.removed += from.length - same;
  words.added += to.length - same;
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
