import { createRequire } from 'node:module';
import type * as Undici from 'undici';

/**
 * Returns the parts of the HTTP client for direct connections. They are loaded at the first call, because most commands send no request.
 * The whole package would take 60 ms more of CPU time in each process and thread. Only some versions of the package have these files.
 * @throws what Node throws if it cannot be loaded, for example because too many files are open. The next call tries again: Node keeps the
 * failure of an `import` until the process ends, but not that of a `require`.
 */
export function loadAgent(): Pick<typeof Undici, 'Agent' | 'buildConnector'> {
  const load = createRequire(import.meta.url);
  return {
    Agent: load('undici/lib/dispatcher/agent.js') as typeof Undici.Agent,
    buildConnector: load('undici/lib/core/connect.js') as typeof Undici.buildConnector,
  };
}

/** Returns the whole HTTP client. See {@link loadAgent}. */
export function loadUndici(): typeof Undici {
  return createRequire(import.meta.url)('undici') as typeof Undici;
}
