import type { Settings } from '../../../config/index.js';
import { MAX_SITEMAP_BYTES } from '../../parse/index.js';

/** Bytes of a body that are kept, -1 for all: of what was named as a sitemap at least what their protocol allows, 50 MiB. */
export function bodyLimit({ http }: Pick<Settings, 'http'>, isSitemap = false): number {
  return isSitemap && http.contentLimit >= 0 ? Math.max(http.contentLimit, MAX_SITEMAP_BYTES) : http.contentLimit;
}
