import type { Settings } from '../../../config/index.js';
import { MAX_SITEMAP_BYTES } from '../../parse/index.js';

/**
 * Returns the maximum bytes of a body to store; -1 for no limit. For a sitemap, it is at least 50 MiB, which is the limit of the sitemap
 * protocol.
 */
export function bodyLimit({ http }: Pick<Settings, 'http'>, isSitemap = false): number {
  return isSitemap && http.contentLimit >= 0 ? Math.max(http.contentLimit, MAX_SITEMAP_BYTES) : http.contentLimit;
}
