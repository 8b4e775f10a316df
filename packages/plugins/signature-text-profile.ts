import { hash } from 'node:crypto';
import type { Plugin, Signature } from '../plugin-api/index.js';
import { sha1OfContent } from './signature-sha1.js';

/** The settings of {@link textProfileSignature}. They have the names of the section `db`. */
export interface TextProfileSettings {
  /** Words with at most this number of characters are ignored. */
  readonly signatureTextProfileMinTokenLen: number;
  /** The step to which frequencies are rounded down, as a fraction of the highest frequency. */
  readonly signatureTextProfileQuantRate: number;
}

/**
 * Uses a hash of the frequent words of a page as the signature. So a small change, such as a date or a counter, does not change the
 * signature. A word is a sequence of letters and digits, in lower case. The frequency of each word is rounded down to a multiple of a step.
 * If a word occurs twice or more, the step is at least 2. Words whose frequency is below one step are ignored. Words with equal frequencies
 * are sorted by their characters. If a page has no words, the hash of its content is used.
 */
export function textProfileSignature(settings: TextProfileSettings): Plugin & { readonly signature: Signature } {
  return {
    name: 'signature-text-profile',
    signature(page) {
      const profile = textProfile(page.text, settings);
      return profile === '' ? sha1OfContent(page) : hash('md5', profile);
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
  // If no word occurs twice, the step is 1, so that all words are used.
  const step = Math.max(Math.round(highest * settings.signatureTextProfileQuantRate), highest > 1 ? 2 : 1);
  return [...counts]
    .filter(([, count]) => count >= step)
    .map(([token, count]) => ({ token, count: count - (count % step) }))
    .sort((a, b) => b.count - a.count || (a.token < b.token ? -1 : 1))
    .map(({ token, count }) => `${count} ${token}`)
    .join('\n');
}
