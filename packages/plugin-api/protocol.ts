/** A request for one URL. */
export interface FetchRequest {
  /** An absolute and normalised URL. */
  readonly url: string;
  /** Aborts the request. The outcome of the request is then `retry` with code `aborted`. */
  readonly signal?: AbortSignal;
  /** The `Last-Modified` of the stored copy, in ms since the epoch. */
  readonly ifModifiedSince?: number;
  /** The `ETag` of the stored copy. */
  readonly ifNoneMatch?: string;
  /**
   * Whether the operator named the host, so that it may have an address that is not public. `http.privateAddresses` may still forbid such
   * an address.
   */
  readonly allowPrivate?: boolean;
  /** Maximum bytes of the decoded body. Absent: `http.contentLimit`. -1: no limit. */
  readonly contentLimit?: number;
  /** Whether only status and headers are needed (HEAD). A protocol may still fetch the body. */
  readonly headOnly?: boolean;
}

/** The fields that every outcome of a fetch has. */
export interface FetchAnswer {
  /**
   * The code of the protocol status, a word from a fixed set. Use one of `PROTOCOL_CODES` if one of them fits: `success`, `moved`,
   * `not_found`, …
   */
  readonly code: string;
  /** The HTTP status, if there was an answer. */
  readonly http?: number;
  /** One line for people. Untrusted text. */
  readonly message?: string;
  /** Headers with names in lower case. Values of a repeated name are joined with `, `. Values of `x-robots-tag` are joined with line breaks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the answer broke the rules of HTTP, and a lenient reader read it. */
  readonly lenient?: boolean;
  /** The reason in the status line. */
  readonly statusText?: string;
  /** Headers as received: name, value, name, value, … Each character is one byte. The record of the page has the headers in this form. */
  readonly rawHeaders?: readonly string[];
  /** Milliseconds that the request took. */
  readonly millis?: number;
}

/** How a fetch ended. An expected failure is returned as an outcome, and not thrown. */
export type FetchOutcome =
  | (FetchAnswer & {
      readonly kind: 'content';
      /** The body after content codings are removed. It is cut at the limit of the request, or at `http.contentLimit`. */
      readonly body: Uint8Array;
      /** Whether the body is incomplete: it was cut, it ended early, or the server sent only a part. */
      readonly truncated: boolean;
      /** The media type in lower case, without parameters. Empty if it is unknown. */
      readonly contentType: string;
    })
  | (FetchAnswer & {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      /** The `Location` as an absolute URL. null if it is missing or not a URL. */
      readonly target: string | null;
    })
  | (FetchAnswer & { readonly kind: 'notmodified' })
  | (FetchAnswer & { readonly kind: 'gone' })
  | (FetchAnswer & {
      readonly kind: 'retry';
      /** Seconds that the server requests to wait. */
      readonly retryAfter?: number;
    });

/** Fetches URLs of some schemes. */
export interface Protocol {
  /** `http`, `https`, or both. A table cannot hold URLs of other schemes. */
  readonly schemes: readonly string[];
  /** Fetches one URL. A redirect is not followed, but returned as the outcome. It rejects only if the protocol itself has an error. */
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  /** Closes connections. */
  close?(): Promise<void>;
}
