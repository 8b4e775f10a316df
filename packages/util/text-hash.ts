/**
 * A number from 0 to 2 ** 53 - 1 for a text, always the same: two rounds of multiplying and shifting beside each other. It is quick, and
 * no secret; who makes texts with the same number harms what is said of his own pages.
 */
export function hashOf(text: string): number {
  let high = 0x3c6ef372;
  let low = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}
