import { createSimhash } from '../../duplicates/index.js';

const SHINGLE = 2;
const hex = (half: number): string => half.toString(16).padStart(8, '0');

/**
 * Makes the function that computes the simhash of a text, by which similar hits are folded: 16 hex digits; empty for a text without words.
 * Computing it takes longer than all other work on a document. So writers call the function in their own thread, and only for documents
 * that they write.
 */
export function createTextSimhash(): (text: string) => string {
  const simhashOf = createSimhash(SHINGLE);
  return (text) => {
    const { high, low, words } = simhashOf(text);
    return words === 0 ? '' : hex(high) + hex(low);
  };
}
