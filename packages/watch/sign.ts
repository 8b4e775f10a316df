import { createHmac } from 'node:crypto';
import { CrawlError } from '../core/index.js';

/** Minimum and maximum number of bytes of a key, according to Standard Webhooks. */
const KEY_BYTES = { least: 24, most: 64 };
const PREFIX = 'whsec_';

/**
 * Returns the key of a secret. A secret is `whsec_` and 24 to 64 bytes in base64.
 * @throws CrawlError USAGE; the message does not contain the secret
 */
export function keyOfSecret(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : '';
  const key = Buffer.from(text, 'base64');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  if (isBase64 && key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most) return key;
  throw new CrawlError(
    'USAGE',
    `expected a secret of whsec_ and ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes in base64, found something else`,
    { hint: 'make one with: echo "whsec_$(openssl rand -base64 32)"' },
  );
}

export interface Message {
  /** The id is the same in every attempt. */
  readonly id: string;
  readonly body: string;
}

/**
 * Returns the headers that sign a message by Standard Webhooks. There is one signature for each key, so that a receiver can change to
 * another key.
 * @param now the time of the attempt, in ms since the epoch
 */
export function signedHeaders({ id, body }: Message, keys: readonly Buffer[], now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
