import type { Plugin } from '../plugin-api/index.js';
import { badPortOf } from '../url/index.js';

/** Rejects URLs with a port that browsers refuse, such as 22 or 25 ("bad port" of the Fetch Standard). */
export function portUrlFilter(): Plugin {
  return {
    name: 'urlfilter-port',
    version: '1',
    filterUrl(url) {
      const port = badPortOf(url);
      return port === undefined || `port ${port} is blocked by browsers`;
    },
  };
}
