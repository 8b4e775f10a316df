import type { IncomingMessage } from 'node:http';
import type { Problem } from './errors.js';

const MAX_FORM = 16 * 1024;

const TYPE = 'application/x-www-form-urlencoded';

export async function readForm(request: IncomingMessage): Promise<URLSearchParams | Problem> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== TYPE) {
    return { status: 415, code: 'USAGE', message: `expected a form as ${TYPE}` };
  }
  const chunks: Buffer[] = [];
  let size = 0;
  // By default, leaving the loop early would close the connection, and the client would not get the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_FORM) return { status: 413, code: 'USAGE', message: `expected a form of at most ${MAX_FORM} bytes` };
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
