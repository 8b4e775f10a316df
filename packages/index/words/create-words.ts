import { kindLookup, KANA, KIND, unitsAt, type Kind } from './characters.js';
import { fold, foldWhole } from './fold.js';
import { createLetters, rememberParts } from './letters.js';
import { charactersOf, pairsOf } from './pairs.js';
import { primaryLanguage } from './primary-language.js';
import { HYPHEN, type Run, type Word, type Words } from './words.js';
import { createRequire } from 'node:module';
import { once } from '../../util/index.js';

/** The version of the tokenizer. Increase it with every change of the rules in this folder, or of the version of the stemmers. */
const RULES = '6';
/** The memory that splitting needs grows with the length of a chunk. */
const CHUNK_UTF16_UNITS = 2048;
/** English endings after an apostrophe that people often omit: don't, they've. */
const CONTRACTED = /^(t|re|ve|ll|d|m)(?![\p{L}\p{M}\p{N}])/iu;
const POSSESSIVE = /^s(?![\p{L}\p{M}\p{N}])/iu;

const HAN_ALONE = /^[\p{Script=Han}\u3006]+$/u;

type AddWord = (start: number, end: number, isChinese?: boolean) => void;
type AddRun = (start: number, end: number) => void;

interface WordsOptions {
  /** Whether `@node-rs/jieba` splits Chinese if it is installed. Default: true. */
  readonly jieba?: boolean;
}

/**
 * Makes the tokenizer. In scripts with blanks, words are runs of letters, marks and digits. In scripts without blanks, `Intl.Segmenter`
 * finds the words, or `@node-rs/jieba` for Chinese if it is installed. A number keeps the points within it (`3.14`, `10.0.0.1`), and `C++`
 * and `C#` are words; `apt-get` and `foo_bar` are two words each.
 *
 * Words from a dictionary are not enough for search: a user may search for a part of a long word, and Korean attaches particles to nouns.
 * So in scripts without blanks, and in Korean, each pair of neighbouring characters is a term too.
 */
export async function createWords({ jieba: wantsJieba = true }: WordsOptions = {}): Promise<Words> {
  const kindAt = kindLookup();
  const byIntl = createIntlSplitter();
  const jieba = wantsJieba ? await loadJieba() : undefined;
  const letters = createLetters(rememberParts(jieba?.partsOf ?? pairsOf));
  // The stemmers are loaded here, because they are many modules, and only indexing and searching need them.
  const { createStemmer } = await import('./stemmers.js');
  const stem = createStemmer(fold);
  return {
    name: `words-${RULES}/icu-${process.versions.icu}${jieba ? `/jieba-${jieba.version}` : ''}`,
    stem,
    split(text, language) {
      const words: Word[] = [];
      splitInto(text, language, (start, end) => {
        const term = fold(text.slice(start, end));
        if (term !== '') words.push({ term, start, end });
      });
      return words;
    },
    index(text, language) {
      const words: Word[] = [];
      const names = new Set<string>();
      const joined = new Set<string>();
      const add = (start: number, end: number, isChinese = false): void => {
        const word = text.slice(start, end);
        const term = fold(word);
        if (term === '') return;
        const before = words.at(-1);
        if (before && HYPHEN.test(text.slice(before.end, start)) && JOINED.test(`${before.term} ${term}`))
          joined.add(before.term + term);
        words.push({ term, start, end });
        if (isChinese) letters.addWord(term);
        else if (term !== word && !names.has(word) && wordsOfName(word).length > 0) names.add(word);
      };
      splitInto(text, language, add, (start, end) => letters.addRun(foldWhole(text.slice(start, end))));
      return {
        words,
        names: [...[...names].flatMap((name) => wordsOfName(name).map(fold)), ...joined],
        letters: letters.end(),
      };
    },
    runs: runsOf,
    pairs: (text) => pairsOf(foldWhole(text)),
    characters: (text) => (HAN_ALONE.test(text) ? [...new Set(charactersOf(foldWhole(text)))] : []),
  };

  /**
   * @param add called with each word; `isChinese` is true for words of Chinese
   * @param addRun called with each run of letters in other scripts without blanks, and in Korean
   */
  function splitInto(text: string, language: string | undefined, add: AddWord, addRun?: AddRun): void {
    const primary = primaryLanguage(language);
    const isJapanese = primary === 'ja' || (primary === '' && KANA.test(text));
    for (let at = 0; at < text.length;) {
      const kind = kindAt(text, at);
      if (kind === KIND.none || kind === KIND.ignored) at += unitsAt(text, at);
      else if (kind === KIND.letter) at = spacedWord(text, at, add);
      else at = unbrokenRun(text, at, kind, isJapanese, add, addRun);
    }
  }

  function runsOf(text: string): Run[] {
    const runs: Run[] = [];
    for (let at = 0; at < text.length;) {
      const belongs = RUNS[kindAt(text, at)];
      if (belongs) {
        const start = at;
        runs.push({ start, end: (at = runEnd(text, start, belongs)) });
      } else at += unitsAt(text, at);
    }
    return runs;
  }

  function spacedWord(text: string, start: number, add: (start: number, end: number) => void): number {
    let at = start;
    for (;;) {
      at = runEnd(text, at, isLetter);
      const next = text[at];
      if (next === '.' && isDigit(text, at - 1) && isDigit(text, at + 1)) at += 1;
      else if (next === "'" || next === '’') {
        const rest = text.slice(at + 1, at + 4);
        if (POSSESSIVE.test(rest)) {
          add(start, at);
          return at + 2;
        }
        if (!CONTRACTED.test(rest) && !/^\p{Script=Cyrillic}/u.test(rest)) break;
        at += 1;
      } else break;
    }
    const end = at + symbolsAt(text, start, at);
    add(start, end);
    return end;
  }

  function unbrokenRun(
    text: string,
    start: number,
    kind: Kind,
    isJapanese: boolean,
    add: AddWord,
    addRun?: AddRun,
  ): number {
    const end = runEnd(text, start, RUNS[kind]!);
    const run = text.slice(start, end);
    const isChinese = (kind === KIND.han || kind === KIND.kana) && !isJapanese && !KANA.test(run);
    if (!isChinese) addRun?.(start, end);
    if (kind === KIND.hangul) {
      add(start, end);
      return end;
    }
    const split: Splitter = (isChinese && jieba?.split) || byIntl;
    let at = start;
    for (const piece of piecesOf(run)) {
      for (const { length } of split(piece)) {
        add(at, at + length, isChinese);
        at += length;
      }
    }
    return end;
  }

  function runEnd(text: string, start: number, belongs: (kind: Kind) => boolean): number {
    let at = start;
    while (at < text.length) {
      const kind = kindAt(text, at);
      // A mark belongs to the character before it, even if the two are of different scripts.
      if (!belongs(kind) && kind !== KIND.ignored && !(at > start && MARK.test(text[at]!))) break;
      at += unitsAt(text, at);
    }
    return at;
  }
}

/** Matches two words that are also spelt as one. Words with a hyphen that have letters and digits are mostly data. */
const JOINED = /^\p{L}+ (?:\p{L}+|\p{N}+)$/u;
const MARK = /\p{M}/u;
const isLetter = (kind: Kind): boolean => kind === KIND.letter;
const isHanOrKana = (kind: Kind): boolean => kind === KIND.han || kind === KIND.kana;
/** For each kind of the first character of a run: the function that says whether another character belongs to the run. */
const RUNS: Readonly<Partial<Record<Kind, (kind: Kind) => boolean>>> = {
  [KIND.han]: isHanOrKana,
  [KIND.kana]: isHanOrKana,
  [KIND.unspaced]: (kind) => kind === KIND.unspaced,
  [KIND.hangul]: (kind) => kind === KIND.hangul,
};

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

/** Returns the number of symbols after a word that belong to it, as in C++, g++ and C#. */
function symbolsAt(text: string, start: number, end: number): 0 | 1 | 2 {
  const next = text[end];
  if (next !== '+' && next !== '#') return 0;
  if (!/[a-z]/i.test(text[end - 1] ?? '')) return 0;
  if (text.startsWith('++', end) && text[end + 2] !== '+') return 2;
  const isAlone = end - start === 1 && !/[\p{L}\p{N}#]/u.test(text[end + 1] ?? '');
  return isAlone && next === '#' ? 1 : 0;
}

function* piecesOf(run: string): Generator<string> {
  for (let at = 0; at < run.length;) {
    let end = Math.min(at + CHUNK_UTF16_UNITS, run.length);
    if (end < run.length && unitsAt(run, end - 1) === 2) end -= 1;
    yield run.slice(at, end);
    at = end;
  }
}

/** Matches a name from a program that joins several words without a separator: `hashMap`, `XMLHttpRequest`. */
const HUMP = /[\p{Ll}\p{N}]\p{Lu}|\p{Lu}{3}\p{Ll}/u;
/** Matches the position before a capital letter that begins the next word of a name. `URLs` and `IPv4` have no such position. */
const BEFORE_WORD = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll})(?!\p{Lu}s$)/u;
/** A text with more words than this is data, not a name. */
const MAX_JOINED_WORDS = 8;

/** Returns the words of a name that joins several words. Empty for a single word, or for data. */
function wordsOfName(name: string): readonly string[] {
  if (!HUMP.test(name)) return [];
  const words = name.split(BEFORE_WORD);
  return words.length > 1 && words.length <= MAX_JOINED_WORDS ? words : [];
}

/** Splits a text without blanks into consecutive pieces. */
type Splitter = (text: string) => Iterable<string>;

/**
 * Makes a splitter that uses the dictionaries of ICU. The dictionaries are for Chinese, Japanese, Thai, Lao, Khmer and Burmese, and do not
 * depend on the locale.
 */
function createIntlSplitter(): Splitter {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  return function* (text) {
    for (const { segment } of segmenter.segment(text)) yield segment;
  };
}

/** Loads the package `@node-rs/jieba`. It splits Chinese better and faster than ICU. Undefined: the package is not installed. */
async function loadJieba() {
  try {
    const { Jieba } = await import('@node-rs/jieba');
    const { dict } = await import('@node-rs/jieba/dict.js');
    const { version } = createRequire(import.meta.url)('@node-rs/jieba/package.json') as { readonly version: string };
    // Takes a tenth of a second and 45 MB, so it waits for the first Chinese.
    const jieba = once(() => Jieba.withDict(dict));
    return {
      split: (text: string): Iterable<string> => jieba().cut(text, false),
      /** The words of the dictionary within a longer word. */
      partsOf: (word: string): readonly string[] =>
        jieba()
          .cutForSearch(word, false)
          .filter((part) => part !== word),
      version,
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
