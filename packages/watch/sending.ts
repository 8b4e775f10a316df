import { readChange, type LoggedRecord } from '../changes/index.js';
import { timeOfCursor, type CrawlContext } from '../core/index.js';
import { changeMessage, lostMessage, type Channel } from './message.js';
import type { Attempt } from './next-state.js';
import type { Message } from './sign.js';
import type { Waiting } from './target-state.js';

export interface Sending {
  readonly attempt: Attempt;
  readonly message: Message;
  /** The page or the host that changed. Untrusted. */
  readonly of: string | undefined;
}

export function sendingOf(record: LoggedRecord, channel: Channel): Sending {
  const of = record.type === 'page' ? record.url : record.host;
  return { attempt: { cursor: record.cursor }, message: changeMessage(record, channel), of };
}

/**
 * Makes the message which tells that changes after a cursor were removed.
 * @param oldest the cursor before the first change that is still in the log
 */
export function sendingOfLost(since: number, oldest: string, channel: Channel): Sending {
  const message = lostMessage({ since, until: timeOfCursor(oldest), cursor: oldest }, channel);
  return { attempt: { cursor: oldest, lostSince: since }, message, of: undefined };
}

/** Makes a failed message again, with the same content. undefined: its change is no longer in the log. */
export async function sendingAgain(
  crawl: CrawlContext,
  before: Waiting,
  channel: Channel,
): Promise<Sending | undefined> {
  const { cursor, lostSince } = before;
  if (lostSince !== undefined) {
    const sending = sendingOfLost(lostSince, cursor, channel);
    return { ...sending, attempt: { ...sending.attempt, before } };
  }
  const record = await readChange(crawl, cursor);
  return record && { ...sendingOf(record, channel), attempt: { cursor, before } };
}
