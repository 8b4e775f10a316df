import type { Word, Words } from './words.js';

/** Makes the tokenizer. */
export async function createWords(): Promise<Words> {
  const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });
  return {
    name: `plain-1/icu-${process.versions.icu}`,
    split(text) {
      const words: Word[] = [];
      for (const { segment, index, isWordLike } of segmenter.segment(text)) {
        const term = isWordLike ? fold(segment) : '';
        if (term !== '') words.push({ term, start: index, end: index + segment.length });
      }
      return words;
    },
    stem: (term) => term,
  };
}

function fold(word: string): string {
  return word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/(?<=[\p{Script=Latin}\p{Script=Greek}])\p{Mn}+/gu, '')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}.+#]/gu, '');
}
