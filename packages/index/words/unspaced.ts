import { createRequire } from 'node:module';

/** Splits a text without blanks into pieces that make it up in order. */
export type Splitter = (text: string) => Iterable<string>;

/** Splits by the dictionaries of ICU, which know Chinese, Japanese, Thai, Lao, Khmer and Burmese whatever the locale. */
export function createIntlSplitter(): Splitter {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  return function* (text) {
    for (const { segment } of segmenter.segment(text)) yield segment;
  };
}

/** The package `@node-rs/jieba`, which splits Chinese better and faster; undefined where it is not installed. */
export async function loadJieba(): Promise<{ readonly split: Splitter; readonly version: string } | undefined> {
  try {
    const { Jieba } = await import('@node-rs/jieba');
    const { dict } = await import('@node-rs/jieba/dict.js');
    const { version } = createRequire(import.meta.url)('@node-rs/jieba/package.json') as { readonly version: string };
    const jieba = Jieba.withDict(dict);
    return { split: (text) => jieba.cut(text, false), version };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
