import { hash } from 'node:crypto';
import type { Plugin, Signature } from '../plugin-api/index.js';

/** Uses the SHA-1 hash of the content as the signature, so every changed byte counts. If there is no content, it uses the hash of the URL. */
export function sha1Signature(): Plugin & { readonly signature: Signature } {
  return { name: 'signature-sha1', signature: sha1OfContent };
}

export const sha1OfContent: Signature = ({ url, content, sha1 }) => (content.length > 0 ? sha1 : hash('sha1', url));
