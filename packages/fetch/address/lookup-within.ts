import { deadline, type Late } from '../../util/index.js';
import type { Lookup } from './dns-cache.js';

/**
 * The addresses of a host, in no more than `ms` milliseconds. It rejects where there are none in that time, with code
 * `ENOTFOUND`, or when the signal aborts, with `UND_ERR_ABORTED`; the lookup itself goes on.
 */
export async function lookupWithin(
  lookup: Lookup,
  host: string,
  ms: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const giveUp = (why: Late): never => {
    if (why === 'time') throw failure('ENOTFOUND', `no answer of DNS after ${ms} ms`);
    throw failure('UND_ERR_ABORTED', 'the request was aborted');
  };
  const found = await deadline(lookup(host), ms, giveUp, signal);
  if (found.length === 0) throw failure('ENOTFOUND', 'no address');
  return found;
}

function failure(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}
