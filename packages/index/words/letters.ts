import { charactersOf, pairsOf } from './pairs.js';

const MIN_COMPOUND_CHARACTERS = 3;
const MAX_CACHED_WORDS = 20_000;

/** Caches the parts of words, because most words occur again and again. */
export function rememberParts(partsOf: (word: string) => readonly string[]): (word: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (word) => {
    let parts = known.get(word);
    if (!parts) {
      if (known.size >= MAX_CACHED_WORDS) known.clear();
      known.set(word, (parts = partsOf(word)));
    }
    return parts;
  };
}

/** Collects the terms by which a text is found letter for letter. After `end`, it can be used for the next text. */
export function createLetters(partsOf: (word: string) => readonly string[]) {
  /** 1 for each UTF-16 unit that was added already. A `Set` would take four times as long. */
  const seen = new Uint8Array(65_536);
  let characters: string[] = [];
  const found = new Set<string>();

  return {
    /** Adds all pairs of neighbouring characters of a folded run, and the last character of the run. */
    addRun(run: string): void {
      for (const pair of pairsOf(run)) found.add(pair);
      const last = charactersOf(run).at(-1);
      if (last !== undefined) found.add(last);
    },
    /**
     * Adds the characters of a folded Chinese word, and the parts of a long word. Pairs of characters are not added, because they would be
     * twice as many as the words.
     */
    addWord(word: string): void {
      if (word.length === 1) return;
      for (let at = 0; at < word.length; at++) {
        const unit = word.charCodeAt(at);
        if (unit >= 0xd800 && unit <= 0xdfff) found.add(String.fromCodePoint(word.codePointAt(at++)!));
        else if (seen[unit] === 0) {
          seen[unit] = 1;
          characters.push(word[at]!);
        }
      }
      if (word.length >= MIN_COMPOUND_CHARACTERS) for (const part of partsOf(word)) found.add(part);
    },
    /** Ends the text and returns its terms, each once. */
    end(): string[] {
      const terms = [...characters, ...found];
      for (const character of characters) seen[character.charCodeAt(0)] = 0;
      characters = [];
      found.clear();
      return terms;
    },
  };
}
