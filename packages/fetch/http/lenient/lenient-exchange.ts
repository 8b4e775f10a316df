import { isIP, type Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { createAnswerReader } from './answer-reader.js';
import { deadline } from '../../../util/index.js';
import { givenUp, type Exchange, type ExchangeResult } from '../http-exchange.js';
import { networkCode, networkMessage } from '../network-error.js';

export interface LenientLimits {
  /** Maximum milliseconds during which no byte arrives. */
  readonly timeout: number;
  /** Maximum bytes of the head, including the heads of interim answers. */
  readonly headerLimit: number;
}

/**
 * Sends one GET request over a new connection, and reads the answer as tolerantly as browsers do. It never rejects, and it ends within the
 * time limit.
 * @param connector makes the new connection
 */
export async function lenientExchange(
  connector: buildConnector.connector,
  request: Exchange,
  { timeout, headerLimit }: LenientLimits,
): Promise<ExchangeResult> {
  const { url, signal, keep } = request;
  if (signal?.aborted) return givenUp('abort', request);
  const reader = createAnswerReader({ headerLimit, keep });
  let socket: Socket | undefined;
  let done = false;

  const answer = new Promise<ExchangeResult>((resolve) => {
    const onError = (error: Error): void => {
      const failure = { code: networkCode(error), message: networkMessage(error) };
      resolve(socket ? reader.end(failure) : { failure: failure.code, message: failure.message });
    };
    connector(connectOptions(url), (error, connected) => {
      if (error || !connected) return onError(error ?? new Error('no connection'));
      if (done) return void connected.destroy();
      socket = connected;
      connected.setTimeout(timeout, () => resolve({ failure: 'timeout', message: `silent for ${timeout} ms` }));
      connected.on('error', onError);
      connected.on('data', (bytes: Buffer) => {
        const result = done ? undefined : reader.push(bytes);
        if (!result) return;
        done = true;
        resolve(result);
      });
      const onEnd = (): void => {
        if (!done) resolve(reader.end());
      };
      connected.on('end', onEnd);
      connected.on('close', onEnd);
      connected.write(requestHead(url, request.headers), 'latin1');
    });
  });
  try {
    return await deadline(answer, request.timeLimitMs, (why) => givenUp(why, request), signal);
  } finally {
    done = true;
    socket?.destroy();
  }
}

function connectOptions(url: URL): buildConnector.Options {
  const { protocol, host, port } = url;
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return { protocol, host, hostname, port, ...(isIP(hostname) === 0 && { servername: hostname }) };
}

/** Makes the head of the request. A header with a line break or a NUL is never sent, because a server could read it as another request. */
function requestHead(url: URL, headers: readonly string[]): string {
  const lines = [`GET ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`, 'Connection: close'];
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const line = `${headers[i]}: ${headers[i + 1]}`;
    if (!/^(?:host|connection):/i.test(line) && !/[\r\n\0]/.test(line)) lines.push(line);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
