import { messageOf, safeText } from '../../errors/index.js';
import type { SomeProtocolCodes } from '../../plugin-api/index.js';
import { PrivateAddressError } from '../address/address-guard.js';
import { ProxyError } from './proxy-error.js';

/** Why there is no usable answer. These words must not change, because rows store them as the code of the protocol status. */
export type NetworkCode = SomeProtocolCodes<
  | 'private_address'
  | 'proxy_failed'
  | 'proxy_refused'
  | 'dns_failed'
  | 'connect_failed'
  | 'tls_failed'
  | 'timeout'
  | 'too_slow'
  | 'connection_reset'
  | 'invalid_response'
  | 'headers_too_large'
  | 'aborted'
  | 'network_error'
>;

const CODES: Readonly<Record<string, NetworkCode>> = {
  ENOTFOUND: 'dns_failed',
  ENODATA: 'dns_failed',
  ESERVFAIL: 'dns_failed',
  ECONNREFUSED: 'connect_failed',
  EHOSTUNREACH: 'connect_failed',
  ENETUNREACH: 'connect_failed',
  EADDRNOTAVAIL: 'connect_failed',
  EACCES: 'connect_failed',
  ETIMEDOUT: 'connect_failed',
  UND_ERR_CONNECT_TIMEOUT: 'connect_failed',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'connection_reset',
  EPIPE: 'connection_reset',
  UND_ERR_SOCKET: 'connection_reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid_response',
  // A status such as 000 breaks an assertion of the client.
  ERR_ASSERTION: 'invalid_response',
  UND_ERR_HEADERS_OVERFLOW: 'headers_too_large',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
  EPROTO: 'tls_failed',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_failed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_failed',
  HOSTNAME_MISMATCH: 'tls_failed',
};

const PREFIXES: readonly (readonly [string, NetworkCode])[] = [
  ['EAI_', 'dns_failed'],
  ['ERR_TLS', 'tls_failed'],
  ['ERR_SSL', 'tls_failed'],
  ['CERT_', 'tls_failed'],
  ['UNABLE_TO_', 'tls_failed'],
];

/** Returns the word for an error of the network layer. */
export function networkCode(error: unknown): NetworkCode {
  if (error instanceof PrivateAddressError) return 'private_address';
  if (error instanceof ProxyError) return error.kind;
  if (error instanceof Error) {
    // Errors of the HTTP parser do not have codes.
    if (error.name === 'HTTPParserError')
      return error.message.includes('EOF') ? 'connection_reset' : 'invalid_response';
    if (error.message === 'bad response' || error.message === 'bad upgrade') return 'invalid_response';
  }
  const code = errorCode(error);
  return CODES[code] ?? PREFIXES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'network_error';
}

/** Whether the strict client reported a wrong length. It reports this for any error in an answer with a `Content-Length`. */
export function isLengthMismatch(error: unknown): boolean {
  return errorCode(error) === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';
}

/** Describes an error of the network layer in one line. If the message does not contain the code of the error, the code is added. */
export function networkMessage(error: unknown): string {
  const text = messageOf(error).trim();
  const code = errorCode(error);
  return safeText(code && !text.includes(code) ? `${text} (${code})` : text);
}

/** Returns the code of an error, or of the cause of the error. Returns an empty text if there is none. */
function errorCode(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code: unknown = 'code' in at ? at.code : undefined;
    if (typeof code === 'string') return code;
  }
  return '';
}
