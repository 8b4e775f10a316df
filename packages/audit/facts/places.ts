import { tryDecode } from '../../core/index.js';
import { idHash } from './facts.js';

/** Decodes the percent-encoding of a part of a URL. A wrong encoding stays as it is. */
export function decoded(part: string): string {
  return tryDecode(part) ?? part;
}

/** Removes the part of a fragment from `:~:` on. Browsers search the page for the text in this part. */
export function withoutText(fragment: string): string {
  const at = fragment.indexOf(':~:');
  return at === -1 ? fragment : fragment.slice(0, at);
}

/**
 * Whether a page has the place of a fragment.
 * @param ids hashes of the ids of the page, see `idHash`
 * @param fragment without a text part; raw or percent-encoded
 */
export function hasPlace(ids: ReadonlySet<number>, fragment: string): boolean {
  const readable = decoded(fragment);
  return [fragment, readable, `user-content-${readable}`].some((id) => ids.has(idHash(id)));
}
