import { CrawlError, messageOf, safeText } from '../../../errors/index.js';

const KNOWN: readonly (readonly [names: RegExp, found: string, hint: string])[] = [
  [/^NoSuchBucket$/, 'no bucket of this name', 'make the bucket, or set AWS_ENDPOINT_URL_S3 to the store that has it'],
  [
    /^(CredentialsProviderError|CredentialsError)$/,
    'no key for the store',
    'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  ],
  [
    /^(InvalidAccessKeyId|SignatureDoesNotMatch|InvalidClientTokenId|ExpiredToken|TokenRefreshRequired|AuthFailure)$/,
    'a key that the store does not accept',
    'check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN',
  ],
  [
    /^(AccessDenied|AllAccessDisabled|AccountProblem|403|Forbidden)$/,
    'no permission',
    'the key needs s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucketMultipartUploads and s3:AbortMultipartUpload',
  ],
  [
    /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/,
    'a bucket of another region',
    'set AWS_REGION to the region of the bucket',
  ],
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|TimeoutError|CERT_.*|.*_CERT.*)$/,
    'a store that cannot be reached',
    'check AWS_ENDPOINT_URL_S3 and the network, and run the same command again',
  ],
  [
    /^(ECONNRESET|EPIPE|InternalError|ServiceUnavailable|SlowDown|5\d\d|RequestTimeout|IncompleteBody)$/,
    'a store that ended the connection',
    'run the same command again',
  ],
];

export function s3Error(bucket: string, cause: unknown): CrawlError {
  if (cause instanceof CrawlError) return cause;
  const names = [...namesOf(cause)];
  const [, found, hint] = KNOWN.find(([known]) => names.some((name) => known.test(name))) ?? [];
  const said = safeText([...new Set([...names.slice(0, 2), messageOf(cause)])].join(': '), 300);
  return new CrawlError(
    'BAD_OUTPUT',
    `expected to write to the bucket ${safeText(bucket)}, found ${found === undefined ? said : `${found} (${said})`}`,
    { hint: hint ?? 'run the same command again', cause },
  );
}

interface SdkError extends Error {
  readonly code?: string;
  readonly Code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

/** Every name that an error has, then the names of its nested errors. */
function* namesOf(error: unknown): Generator<string> {
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    const { code, Code, $metadata } = at as SdkError;
    for (const name of [Code, code, at.name, $metadata?.httpStatusCode]) {
      if (name !== undefined && name !== 'Error') yield String(name);
    }
    if (at instanceof AggregateError) for (const inner of at.errors as unknown[]) yield* namesOf(inner);
  }
}
