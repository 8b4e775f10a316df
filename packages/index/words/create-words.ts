import { kindLookup, KANA, KIND, unitsAt, type Kind } from './characters.js';
import { fold } from './fold.js';
import { primaryLanguage } from './primary-language.js';
import { createIntlSplitter, loadJieba, type Splitter } from './unspaced.js';
import type { Word, Words } from './words.js';

/** Changes with the rules of this folder, and with the version of the stemmers. */
const RULES = '3';
/** UTF-16 units that are split at a time: what a piece takes grows with its length. */
const PIECE = 2048;
/** What English puts after an apostrophe and people leave the apostrophe out of: don't, they've. */
const CONTRACTED = /^(t|re|ve|ll|d|m)(?![\p{L}\p{M}\p{N}])/iu;
const POSSESSIVE = /^s(?![\p{L}\p{M}\p{N}])/iu;

/** What {@link createWords} takes. */
export interface WordsOptions {
  /** Whether Chinese is split by `@node-rs/jieba` where it is installed. Default: true. */
  readonly jieba?: boolean;
}

/**
 * Makes the tokenizer. Words of scripts with blanks are runs of letters, marks and digits; of those without, what `Intl.Segmenter`
 * finds, and in Chinese `@node-rs/jieba` where it is installed. A number keeps the points within it (`3.14`, `10.0.0.1`), and
 * `C++` and `C#` are words; of `apt-get` and `foo_bar` each part is one.
 */
export async function createWords({ jieba: wantsJieba = true }: WordsOptions = {}): Promise<Words> {
  const kindAt = kindLookup();
  const byIntl = createIntlSplitter();
  const jieba = wantsJieba ? await loadJieba() : undefined;
  // They are many modules, and only who indexes or searches needs them.
  const { createStemmer } = await import('./stemmers.js');
  const stem = createStemmer(fold);
  return {
    name: `words-${RULES}/icu-${process.versions.icu}${jieba ? `/jieba-${jieba.version}` : ''}`,
    stem,
    split(text, language) {
      const words: Word[] = [];
      const add = (start: number, end: number): void => {
        const term = fold(text.slice(start, end));
        if (term !== '') words.push({ term, start, end });
      };
      const primary = primaryLanguage(language);
      const isJapanese = primary === 'ja' || (primary === '' && KANA.test(text));
      for (let at = 0; at < text.length;) {
        const kind = kindAt(text, at);
        if (kind === KIND.none || kind === KIND.ignored) at += unitsAt(text, at);
        else if (kind === KIND.letter) at = spacedWord(text, at, add);
        else at = unspacedRun(text, at, kind, isJapanese, add);
      }
      return words;
    },
  };

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

  function unspacedRun(
    text: string,
    start: number,
    kind: Kind,
    isJapanese: boolean,
    add: (start: number, end: number) => void,
  ): number {
    const end = runEnd(text, start, kind === KIND.unspaced ? isUnspaced : isHanOrKana);
    const run = text.slice(start, end);
    const isChinese = kind !== KIND.unspaced && !isJapanese && !KANA.test(run);
    const split: Splitter = (isChinese && jieba?.split) || byIntl;
    let at = start;
    for (const piece of piecesOf(run)) {
      for (const { length } of split(piece)) {
        add(at, at + length);
        at += length;
      }
    }
    return end;
  }

  function runEnd(text: string, start: number, belongs: (kind: Kind) => boolean): number {
    let at = start;
    while (at < text.length) {
      const kind = kindAt(text, at);
      if (!belongs(kind) && kind !== KIND.ignored) break;
      at += unitsAt(text, at);
    }
    return at;
  }
}

const isLetter = (kind: Kind): boolean => kind === KIND.letter;
const isUnspaced = (kind: Kind): boolean => kind === KIND.unspaced;
const isHanOrKana = (kind: Kind): boolean => kind === KIND.han || kind === KIND.kana;

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}

/** How many signs after a word belong to it: those of C++, g++ and C#. */
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
    let end = Math.min(at + PIECE, run.length);
    if (end < run.length && unitsAt(run, end - 1) === 2) end -= 1;
    yield run.slice(at, end);
    at = end;
  }
}
