import { createHash } from 'node:crypto';
import type { LoggedRecord } from '../changes/index.js';
import type { Message } from './sign.js';

/** Receivers accept 20 kB. */
export const MAX_BODY_BYTES = 20_000;

/**
 * Returns the id of a message. It is the same whenever this entry is sent to this target, so that the receiver can recognise a repeated
 * message.
 */
function idOf(of: readonly string[]): string {
  return `msg_${createHash('sha256').update(of.join('\n')).digest('base64url').slice(0, 27)}`;
}

/** The table that sends and the target that receives. */
export interface Channel {
  readonly tableId: string;
  readonly target: string;
}

export function idOfChange(cursor: string, { tableId, target }: Channel): string {
  return idOf([tableId, target, cursor]);
}

/** Makes the message for a change. It names the change, without any content of the page. */
export function changeMessage(record: LoggedRecord, channel: Channel): Message {
  const { type, ...data } = record;
  const name = type === 'page' ? 'page.changed' : 'host.failed';
  const make = (what: object): string =>
    JSON.stringify({ type: name, timestamp: new Date(record.at).toISOString(), data: what });
  const id = idOfChange(record.cursor, channel);
  const whole = make(data);
  if (Buffer.byteLength(whole) <= MAX_BODY_BYTES || record.type !== 'page') return { id, body: whole };
  // All parts but the URL are short.
  const { url, kinds, at, between, cursor } = record;
  const short = make({ url, kinds, at, between, cursor, cut: true });
  if (Buffer.byteLength(short) <= MAX_BODY_BYTES) return { id, body: short };
  return { id, body: make({ url: url.slice(0, 2_000), kinds, at, between, cut: true }) };
}

/**
 * Makes the message which tells that changes were removed before they could be sent.
 * @param since start of the removed changes, in ms since the epoch
 * @param until end of the removed changes, in ms since the epoch
 */
export function lostMessage(
  { since, until, cursor }: { readonly since: number; readonly until: number; readonly cursor: string },
  { tableId, target }: Channel,
): Message {
  const data = { since, until };
  return {
    id: idOf([tableId, target, `lost ${cursor}`]),
    body: JSON.stringify({ type: 'changes.lost', timestamp: new Date(until).toISOString(), data }),
  };
}
