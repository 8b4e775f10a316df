import { createSimhash } from '../../duplicates/index.js';

const SHINGLE = 2;
const hex = (half: number): string => half.toString(16).padStart(8, '0');

/**
 * Makes the function that gives the simhash of a text as a search folds by it: 16 hex digits; empty for a text of no words. It takes
 * longer than all else that is made of a document, so writers call it in their thread, and only for what they write.
 */
export function createTextSimhash(): (text: string) => string {
  const simhashOf = createSimhash(SHINGLE);
  return (text) => {
    const { high, low, words } = simhashOf(text);
    return words === 0 ? '' : hex(high) + hex(low);
  };
}
