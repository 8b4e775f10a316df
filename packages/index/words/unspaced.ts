import { createRequire } from 'node:module';

/** Splits a text without blanks into consecutive pieces. */
export type Splitter = (text: string) => Iterable<string>;

/**
 * Makes a splitter that uses the dictionaries of ICU. The dictionaries are for Chinese, Japanese, Thai, Lao, Khmer and Burmese, and do not
 * depend on the locale.
 */
export function createIntlSplitter(): Splitter {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  return function* (text) {
    for (const { segment } of segmenter.segment(text)) yield segment;
  };
}

interface Jieba {
  readonly split: Splitter;
  /** The words of the dictionary within a longer word. */
  readonly partsOf: (word: string) => readonly string[];
  readonly version: string;
}

/** Loads the package `@node-rs/jieba`. It splits Chinese better and faster than ICU. Undefined: the package is not installed. */
export async function loadJieba(): Promise<Jieba | undefined> {
  try {
    const { Jieba } = await import('@node-rs/jieba');
    const { dict } = await import('@node-rs/jieba/dict.js');
    const { version } = createRequire(import.meta.url)('@node-rs/jieba/package.json') as { readonly version: string };
    const jieba = Jieba.withDict(dict);
    return {
      split: (text) => jieba.cut(text, false),
      partsOf: (word) => jieba.cutForSearch(word, false).filter((part) => part !== word),
      version,
    };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
