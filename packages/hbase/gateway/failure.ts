/**
 * Why a call failed. `unreachable`: no connection was made. `lost`: the connection ended, or no response came in time. `garbled`: the data is
 * not a response of a gateway. `io`: HBase refused; `message` begins with the Java class of the error. `argument`: the gateway refused an
 * argument. `internal`: the gateway failed and gave no reason. `unknown method`: the gateway does not have this method.
 */
export type FailureKind = 'unreachable' | 'lost' | 'garbled' | 'io' | 'argument' | 'internal' | 'unknown method';

/** A failed call. It is used only within the store. Users of the store get a CrawlError. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly kind: FailureKind;
  /** Host and port of the gateway. */
  readonly gateway: string;

  constructor(kind: FailureKind, gateway: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.gateway = gateway;
  }
}

/** Java classes of errors that a retry cannot change. */
const FINAL =
  /TableNotFoundException|NoSuchColumnFamilyException|AccessDeniedException|NamespaceNotFoundException|TableExistsException|NamespaceExistException|TableNotDisabledException|TableNotEnabledException|DoNotRetryIOException|InvalidFamilyOperationException|ConstraintException|IllegalArgumentException|IllegalNameException|QuotaExceededException/;

/** Maximum number of attempts after a failure without a reason. */
const INTERNAL_AT_MOST = 3;

/**
 * Whether the same call may succeed if it is retried after this number of attempts. The response of the gateway has a flag for this. The flag
 * is not used, because it is set for too many failures.
 */
export function mayPass({ kind, message }: GatewayFailure, attempts: number): boolean {
  if (kind === 'io') return !FINAL.test(message);
  if (kind === 'internal') return attempts < INTERNAL_AT_MOST;
  return kind === 'unreachable' || kind === 'lost';
}
