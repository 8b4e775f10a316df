import { diffLines } from 'diff';

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

/** Compares two texts line by line. */
export function diffTexts(before: string, after: string): ChangeDiff {
  const parts = diffLines(`${before}\n`, `${after}\n`, { timeout: LONGEST_TIME });
  if (!parts) return { missing: 'the versions differ so much that comparing them takes too long' };
  const words = { added: 0, removed: 0, same: 0 };
  const lines: DiffLine[] = [];
  for (const [i, { value, added, removed }] of parts.entries()) {
    const texts = value.replace(/\n$/, '').split('\n');
    words[added ? 'added' : removed ? 'removed' : 'same'] += wordsOf(value);
    const sign = added ? '+' : removed ? '-' : ' ';
    const shown = sign === ' ' ? around(texts, i > 0, i < parts.length - 1) : texts;
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

/**
 * Returns the context of changes from the equal lines between them: the line after a change, and the line before the next change.
 * @param isBehind whether there is a change before these lines
 * @param isBefore whether there is a change after these lines
 */
function around(texts: readonly string[], isBehind: boolean, isBefore: boolean): readonly string[] {
  if (texts.length <= 2) return isBehind || isBefore ? texts : [];
  return [...(isBehind ? texts.slice(0, 1) : []), ...(isBefore ? texts.slice(-1) : [])];
}

function wordsOf(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}
