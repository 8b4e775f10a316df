import { messageOf, safeText } from '../../errors/index.js';
import type { SomeProtocolCodes } from '../../plugin-api/index.js';
import { PrivateAddressError } from '../address/address-guard.js';
import { ProxyError } from './proxy-error.js';

/** Why there is no usable answer. These words must not change, because rows store them as the code of the protocol status. */
export type NetworkCode = SomeProtocolCodes<
  | 'private_address'
  | 'proxy'
  | 'proxy_refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_slow'
  | 'reset'
  | 'protocol'
  | 'header_limit'
  | 'aborted'
  | 'network'
>;

const CODES: Readonly<Record<string, NetworkCode>> = {
  ENOTFOUND: 'dns',
  ENODATA: 'dns',
  ESERVFAIL: 'dns',
  ECONNREFUSED: 'connect',
  EHOSTUNREACH: 'connect',
  ENETUNREACH: 'connect',
  EADDRNOTAVAIL: 'connect',
  EACCES: 'connect',
  ETIMEDOUT: 'connect',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  // A status such as 000 breaks an assertion of the client.
  ERR_ASSERTION: 'protocol',
  UND_ERR_HEADERS_OVERFLOW: 'header_limit',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
  UND_ERR_ABORTED: 'aborted',
  EPROTO: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  HOSTNAME_MISMATCH: 'tls',
};

const PREFIXES: readonly (readonly [string, NetworkCode])[] = [
  ['EAI_', 'dns'],
  ['ERR_TLS', 'tls'],
  ['ERR_SSL', 'tls'],
  ['CERT_', 'tls'],
  ['UNABLE_TO_', 'tls'],
];

/** Returns the word for an error of the network layer. */
export function networkCode(error: unknown): NetworkCode {
  if (error instanceof PrivateAddressError) return 'private_address';
  if (error instanceof ProxyError) return error.kind;
  if (error instanceof Error) {
    // Errors of the HTTP parser do not have codes.
    if (error.name === 'HTTPParserError') return error.message.includes('EOF') ? 'reset' : 'protocol';
    if (error.message === 'bad response' || error.message === 'bad upgrade') return 'protocol';
  }
  const code = errorCode(error);
  return CODES[code] ?? PREFIXES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'network';
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
