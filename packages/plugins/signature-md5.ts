import { hash } from 'node:crypto';
import type { Plugin, Signature } from '../plugin-api/index.js';

/** The MD5 digest of the content, byte by byte; of the URL where there is none. Any change counts. */
export function md5Signature(): Plugin & { readonly signature: Signature } {
  return { name: 'signature-md5', signature: md5OfContent };
}

/** What {@link md5Signature} computes. */
export const md5OfContent: Signature = ({ url, content }) => md5(content.length > 0 ? content : url);

/** Lower-case hex; text as UTF-8. */
export function md5(data: string | Uint8Array): string {
  return hash('md5', data);
}
