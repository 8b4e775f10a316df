import { createRequire } from 'node:module';
import type * as Undici from 'undici';

/**
 * Returns the HTTP client. It is loaded at the first call, because most commands send no request.
 * @throws what Node throws if it cannot be loaded, for example because too many files are open. The next call tries again: Node keeps the
 * failure of an `import` until the process ends, but not that of a `require`.
 */
export function loadUndici(): typeof Undici {
  return createRequire(import.meta.url)('undici') as typeof Undici;
}
