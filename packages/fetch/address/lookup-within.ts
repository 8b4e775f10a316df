import { deadline, type Late } from '../../util/index.js';
import type { Lookup } from './dns-cache.js';

/**
 * Looks up the addresses of a host within `ms` milliseconds. It rejects with code `ENOTFOUND` if no addresses are found in this time, and
 * with `UND_ERR_ABORTED` if the signal aborts. In both cases the lookup itself continues in the background.
 */
export async function lookupWithin(
  lookup: Lookup,
  host: string,
  ms: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const giveUp = (why: Late): never => {
    if (why === 'time') throw failure('ENOTFOUND', `no answer from DNS after ${ms} ms`);
    throw failure('UND_ERR_ABORTED', 'the request was aborted');
  };
  const found = await deadline(lookup(host), ms, giveUp, signal);
  if (found.length === 0) throw failure('ENOTFOUND', 'no address');
  return found;
}

function failure(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}
