import type { Lookup } from './dns-cache.js';

/**
 * The addresses of a host, in no more than `ms` milliseconds. It rejects where there are none in that time, with code
 * `ENOTFOUND`, or when the signal aborts, with `UND_ERR_ABORTED`; the lookup itself goes on.
 */
export function lookupWithin(
  lookup: Lookup,
  host: string,
  ms: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(Object.assign(new Error('the request was aborted'), { code: 'UND_ERR_ABORTED' }));
    const timer = setTimeout(() => reject(unknownHost(`no answer of DNS after ${ms} ms`)), ms);
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp);
    lookup(host)
      .then((found) => (found.length > 0 ? resolve(found) : reject(unknownHost('no address'))), reject)
      .finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      });
  });
}

function unknownHost(text: string): Error {
  return Object.assign(new Error(text), { code: 'ENOTFOUND' });
}
