/** What to fetch. */
export interface FetchRequest {
  /** Absolute and normalised. */
  readonly url: string;
  /** Ends the request; the outcome is then `retry` with code `aborted`. */
  readonly signal?: AbortSignal;
  /** `Last-Modified` of the copy we hold, in ms since the epoch. */
  readonly ifModifiedSince?: number;
  /** `ETag` of the copy we hold. */
  readonly ifNoneMatch?: string;
  /**
   * The operator named this very host, so it may be at an address that is not public; `http.privateAddresses` has the
   * last word.
   */
  readonly allowPrivate?: boolean;
  /** Bytes of the body kept after decoding, in place of `http.contentLimit`; -1: all. */
  readonly contentLimit?: number;
}

/** What every outcome of a fetch reports. */
export interface FetchAnswer {
  /** A stable word for the protocol status, where one fits of `PROTOCOL_CODES`: `success`, `moved`, `not_found`, … */
  readonly code: string;
  /** The HTTP status, where there was an answer. */
  readonly http?: number;
  /** One line for people; untrusted. */
  readonly message?: string;
  /** Names in lower case; values of a repeated name joined with `, `, but those of `x-robots-tag` with line breaks. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer broke HTTP, and was read by a lenient reader. */
  readonly lenient?: boolean;
  /** The reason in the status line. */
  readonly statusText?: string;
  /** Headers as they came, name, value, name, value, …, each byte one character; the record of the page holds them so. */
  readonly rawHeaders?: readonly string[];
  /** How long the request took, in milliseconds. */
  readonly millis?: number;
}

/** How a fetch ended. An expected failure is one of these, never a throw. */
export type FetchOutcome =
  | (FetchAnswer & {
      readonly kind: 'content';
      /** Content codings undone; at most as many bytes as the request asks for, else `http.contentLimit`. */
      readonly body: Uint8Array;
      /** The body is not whole: it was longer and was cut, ended early, or is a part of one. */
      readonly truncated: boolean;
      /** The media type, lower-case, without parameters; empty when unknown. */
      readonly contentType: string;
    })
  | (FetchAnswer & {
      readonly kind: 'redirect';
      readonly permanent: boolean;
      /** The `Location`, resolved; null when it is missing or no URL. */
      readonly target: string | null;
    })
  | (FetchAnswer & { readonly kind: 'notmodified' })
  | (FetchAnswer & { readonly kind: 'gone' })
  | (FetchAnswer & {
      readonly kind: 'retry';
      /** The server asked to wait so long, in seconds. */
      readonly retryAfter?: number;
    });

/** Fetches URLs of some schemes. */
export interface Protocol {
  /** `http`, `https`, or both; a table holds URLs of no other. */
  readonly schemes: readonly string[];
  /** Fetches one URL. Redirects are an outcome, and are not followed. It rejects only for a fault of its own. */
  fetch(request: FetchRequest): Promise<FetchOutcome>;
  /** Frees connections. */
  close?(): Promise<void>;
}
