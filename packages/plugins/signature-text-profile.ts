import type { Plugin, Signature } from '../plugin-api/index.js';
import { md5, md5OfContent } from './signature-md5.js';

/** Named as in the settings section `db`. */
export interface TextProfileSettings {
  /** Only words with more characters count. */
  readonly signatureTextProfileMinTokenLen: number;
  /** The step to which frequencies are rounded down, as a part of the highest frequency. */
  readonly signatureTextProfileQuantRate: number;
}

/**
 * A digest of the words that a page uses often, so that small changes (a date, a counter) leave it as it is. Words are
 * runs of letters and digits in lower case; frequencies are rounded down to a step of at least 2, and words below a
 * step are left out; words of one frequency are in order of their characters. A page without words has the digest
 * of its content.
 */
export function textProfileSignature(settings: TextProfileSettings): Plugin & { readonly signature: Signature } {
  return {
    name: 'signature-text-profile',
    signature(page) {
      const profile = textProfile(page.text, settings);
      return profile === '' ? md5OfContent(page) : md5(profile);
    },
  };
}

function textProfile(text: string, settings: TextProfileSettings): string {
  const counts = new Map<string, number>();
  let highest = 0;
  for (const [word] of text.matchAll(/[\p{L}\p{Nd}]+/gu)) {
    if (word.length <= settings.signatureTextProfileMinTokenLen) continue;
    const token = word.toLowerCase();
    const count = (counts.get(token) ?? 0) + 1;
    counts.set(token, count);
    if (count > highest) highest = count;
  }
  // Where no word comes twice, all of them count.
  const step = Math.max(Math.round(highest * settings.signatureTextProfileQuantRate), highest > 1 ? 2 : 1);
  return [...counts]
    .filter(([, count]) => count >= step)
    .map(([token, count]) => ({ token, count: count - (count % step) }))
    .sort((a, b) => b.count - a.count || (a.token < b.token ? -1 : 1))
    .map(({ token, count }) => `${count} ${token}`)
    .join('\n');
}
