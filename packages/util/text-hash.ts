/**
 * Returns a number from 0 to 2**53 - 1 for a text, always the same for equal texts. It is fast, but not cryptographic. So authors can
 * create texts with equal numbers, but this harms only the data about their own pages.
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
