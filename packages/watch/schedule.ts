import type { PostedAnswer } from '../core/index.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Milliseconds before each attempt of a message, 75 hours in all. After the last attempt, the message is given up. */
export const ATTEMPTS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

const MAX_JITTER_SHARE = 0.1;
/** Milliseconds without messages for a target that requests a pause or does not respond. They double with each consecutive failure. */
const PAUSE = { first: 5 * SECOND, most: 15 * MINUTE };
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** Longer than any wait. */
const MAX_WAIT_MS = 48 * HOUR;

/** Whether a time is in the future. A time that is too far ahead counts as past, because the clock was probably set back since. */
export function isLater(time: number, now: number): boolean {
  return time > now && time - now <= MAX_WAIT_MS;
}

export type Outcome =
  | { readonly is: 'delivered' }
  /** The target wants no more messages. */
  | { readonly is: 'ended' }
  /** @member pause milliseconds for which nothing is sent to the target */
  | { readonly is: 'failed'; readonly why: string; readonly pause: number };

/**
 * Returns the milliseconds until the next attempt of a message. undefined if it is given up after this number of failed attempts.
 * @param random from 0 to 1
 */
export function retryAfter(attempts: number, random: number): number | undefined {
  const wait = ATTEMPTS[attempts];
  return wait === undefined ? undefined : Math.round(wait * (1 + MAX_JITTER_SHARE * random));
}

/**
 * Decides the outcome of an attempt by its response. Only 2xx is a success. 410 ends the subscription. A pause follows after 429, 502, 503,
 * 504, no response, and `Retry-After`.
 * @param response an `error` if no response was received
 * @param failures number of consecutive failed attempts; if this attempt failed, it is included
 * @param now ms since the epoch, for a `Retry-After` that is a date
 */
export function outcomeOf(response: PostedAnswer | { readonly error: string }, failures: number, now: number): Outcome {
  const slow = Math.min(PAUSE.first * 2 ** Math.min(failures - 1, 20), PAUSE.most);
  if ('error' in response) return { is: 'failed', why: response.error, pause: slow };
  const { status, retryAfter: asked = '' } = response;
  if (status >= 200 && status < 300) return { is: 'delivered' };
  if (status === 410) return { is: 'ended' };
  const pause = Math.min(Math.max(askedPause(asked.trim(), now), 0), MAX_RETRY_AFTER_MS);
  const isBusy = status === 429 || (status >= 502 && status <= 504);
  return { is: 'failed', why: `http_${status}`, pause: Math.max(pause, isBusy ? slow : 0) };
}

/**
 * Returns the milliseconds that a `Retry-After` requests; 0 if the text is not a valid one. `Date.parse` alone accepts many other texts,
 * such as "soon 2099".
 */
function askedPause(text: string, now: number): number {
  if (/^\d+$/.test(text)) return Number(text) * SECOND;
  const time = /^(mon|tue|wed|thu|fri|sat|sun)/i.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? 0 : time - now;
}
