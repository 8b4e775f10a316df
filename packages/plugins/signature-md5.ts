import { hash } from 'node:crypto';
import type { Plugin, Signature } from '../plugin-api/index.js';

/** Uses the MD5 hash of the content as the signature, so every changed byte counts. If there is no content, it uses the hash of the URL. */
export function md5Signature(): Plugin & { readonly signature: Signature } {
  return { name: 'signature-md5', signature: md5OfContent };
}

export const md5OfContent: Signature = ({ url, content }) => md5(content.length > 0 ? content : url);

/** Returns the MD5 hash as lower-case hex. A text is hashed as UTF-8. */
export function md5(data: string | Uint8Array): string {
  return hash('md5', data);
}
