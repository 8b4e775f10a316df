import { CrawlError, messageOf, safeText } from '../../errors/index.js';

export interface Reason {
  readonly type?: string;
  readonly reason?: string;
}

/** An error of the client. `statusCode` and `body` are present if the server responded. */
interface ClientError extends Error {
  readonly statusCode?: number;
  readonly body?: { readonly error?: Reason | string };
}

/** Names of errors of the client: there was no response, or only a part of it. */
const NO_ANSWER = /^(ConnectionError|TimeoutError|NoLivingConnectionsError|DeserializationError)$/;

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, statusCode = 0 } = error as ClientError;
  return NO_ANSWER.test(name) ? !isCertificate(error) : isBusy(statusCode, reasonOf(error));
}

/**
 * Whether a status means that the server cannot accept the request now. A full disk also has status 429, but stays full. A cluster that is
 * starting has 503.
 */
export function isBusy(status: number, reason: Reason | undefined): boolean {
  return [429, 502, 503, 504].includes(status) && !(status === 429 && reason?.type === 'cluster_block_exception');
}

/** Whether an error means that the document does not exist. The status is the same as for a missing index, so the reason decides. */
export function isMissing(status: number, reason: Reason | undefined): boolean {
  return status === 404 && (!reason || reason.type === 'document_missing_exception');
}

/** Turns the error of a request into a CrawlError with a hint. A {@link CrawlError} stays unchanged. */
export function toCrawlError(error: unknown, name: string): CrawlError {
  if (error instanceof CrawlError) return error;
  const { statusCode } = error as ClientError;
  if (statusCode === undefined) return noAnswer(error, name);
  if (statusCode === 401 || (statusCode === 403 && reasonOf(error)?.type === 'security_exception')) {
    return new CrawlError('BAD_SETTING', `${name} refuses the user and password of index.url (status ${statusCode})`, {
      hint: 'put user and password into WEBCRAWL_INDEX_URL, as https://user:password@host:9200/name',
      cause: error,
    });
  }
  return refused(statusCode, reasonOf(error), name, error);
}

export function refused(status: number, reason: Reason | undefined, name: string, cause?: unknown): CrawlError {
  const text = safeText(String(reason?.reason ?? 'no reason was given'), 300);
  if (
    reason?.type === 'cluster_block_exception' &&
    /flood-stage|read-only-allow-delete|read-only \/ allow/.test(text)
  ) {
    return new CrawlError('STORE_FULL', `the server's disk is full, so the search index ${name} is read-only`, {
      hint: 'free disk space on the server, which makes the index writable again; then run the same command again: indexed pages stay',
      cause,
    });
  }
  if (status === 409) {
    return new CrawlError('STORE_FAILED', `another process writes the search index ${name}: ${text}`, {
      hint: 'wait until the other process ends, or name another index as index.url, then run the same command again',
      cause,
    });
  }
  const type = safeText(String(reason?.type ?? 'no type'), 100);
  return new CrawlError('STORE_FAILED', `${name} refused a request (status ${status}, ${type}): ${text}`, {
    ...(type === 'index_not_found_exception' && {
      hint: 'the index was removed: run the same command again, which rebuilds it from the table',
    }),
    cause,
  });
}

export function unexpectedResponse(name: string, expected: string): CrawlError {
  return new CrawlError('STORE_FAILED', `expected ${expected} of OpenSearch at ${name}, found another response`, {
    hint: 'check that index.url names an OpenSearch server',
  });
}

function noAnswer(error: unknown, name: string): CrawlError {
  const isLate = error instanceof Error && error.name === 'TimeoutError';
  return new CrawlError(
    'STORE_FAILED',
    `expected OpenSearch at ${name}, found ${isLate ? 'no response in time' : 'none'}: ${safeText(messageOf(error))}`,
    {
      hint: isCertificate(error)
        ? 'set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority'
        : 'start the server or correct index.url, then run the same command again',
      cause: error,
    },
  );
}

/** Whether the error means that TLS does not trust the server, see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function isCertificate(error: unknown): boolean {
  return /certificate|CERT_/i.test(messageOf(error));
}

function reasonOf(error: unknown): Reason | undefined {
  return reasonIn((error as ClientError).body);
}

export function reasonIn(body: unknown): Reason | undefined {
  const found = (body as { readonly error?: Reason | string | null } | null | undefined)?.error;
  return typeof found === 'string' ? { type: found, reason: found } : (found ?? undefined);
}
