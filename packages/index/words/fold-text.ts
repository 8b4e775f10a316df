import { once } from '../../util/index.js';
import { kindLookup, KIND, unitsAt } from './characters.js';
import { fold } from './fold.js';

/** A text whose letters are folded as in terms. Characters that terms do not have become blanks. */
export interface FoldedText {
  readonly text: string;
  /** Returns where the letter at a position of the folded text begins in the original text. Positions are in UTF-16 units. */
  positionOf(unit: number): number;
}

/** Characters that belong to the character before: marks, half-width kana marks, and vowels and finals of Korean. */
const CONTINUES = /[\p{M}\uff9e\uff9f\u1160-\u11ff]/u;
const [APOSTROPHE, QUOTE] = [0x27, 0x2019];
const MAX_CACHED_CHARACTERS = 10_000;
/** Of a character whose folded form is cached. */
const MAX_CACHED_UNITS = 8;

const createFolder = once(() => {
  const kindAt = kindLookup();
  /** The folded form of each character of one unit, by the value of the unit. */
  const single: (string | undefined)[] = [];
  const marked = new Map<string, string>();
  const continues: (boolean | undefined)[] = [];

  function continuesAt(text: string, at: number): boolean {
    const unit = text.charCodeAt(at);
    // U+0300 is the first mark.
    if (!(unit >= 0x300)) return false;
    return (continues[unit] ??= CONTINUES.test(text[at]!));
  }

  function isPartOfWord(text: string, at: number): boolean {
    const kind = kindAt(text, at);
    return kind !== KIND.none && kind !== KIND.ignored;
  }

  function folded(character: string): string {
    return fold(character) || (kindAt(character, 0) === KIND.ignored ? '' : ' ');
  }

  function foldedAt(text: string, start: number, end: number): string {
    if (end === start + 1) {
      const unit = text.charCodeAt(start);
      if (unit === APOSTROPHE || unit === QUOTE) return '';
      return (single[unit] ??= folded(text[start]!));
    }
    const character = text.slice(start, end);
    if (character.length > MAX_CACHED_UNITS) return folded(character);
    let known = marked.get(character);
    if (known === undefined) {
      known = folded(character);
      if (marked.size >= MAX_CACHED_CHARACTERS) marked.clear();
      marked.set(character, known);
    }
    return known;
  }

  return (text: string): FoldedText => {
    const places: number[] = [];
    let all = '';
    for (let at = 0; at < text.length;) {
      let end = at + unitsAt(text, at);
      if (continuesAt(text, end) && isPartOfWord(text, at))
        do end++;
        while (continuesAt(text, end));
      const letters = foldedAt(text, at, end);
      all += letters;
      for (let i = 0; i < letters.length; i++) places.push(at);
      at = end;
    }
    return { text: all, positionOf: (unit) => places[unit] ?? text.length };
  };
});

/**
 * Folds a text in the same way as words are folded to terms, so that terms can be found in the folded text. Accents, letter forms, soft
 * hyphens and other details that terms ignore are removed.
 */
export function foldText(text: string): FoldedText {
  return createFolder()(text);
}
