/**
 * Why a call was not answered:
 * `unreachable`: no connection was made; `lost`: it ended, or no answer came in time; `garbled`: what came is not what a gateway
 * answers; `io`: HBase said no, `message` begins with the class of Java that did; `argument`: the gateway refused an argument;
 * `internal`: the gateway failed without a reason; `unknown method`: it has no such method.
 */
export type FailureKind = 'unreachable' | 'lost' | 'garbled' | 'io' | 'argument' | 'internal' | 'unknown method';

/** A call that was not answered. Within the store only: its users see a CrawlError. */
export class GatewayFailure extends Error {
  override readonly name = 'GatewayFailure';
  readonly kind: FailureKind;
  /** The gateway, as host and port. */
  readonly gateway: string;

  constructor(kind: FailureKind, gateway: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.gateway = gateway;
  }
}

/** Classes of Java whose errors say the same however often they are asked. */
const FINAL =
  /TableNotFoundException|NoSuchColumnFamilyException|AccessDeniedException|NamespaceNotFoundException|TableExistsException|NamespaceExistException|TableNotDisabledException|TableNotEnabledException|DoNotRetryIOException|InvalidFamilyOperationException|ConstraintException|IllegalArgumentException|IllegalNameException|QuotaExceededException/;

/** How often a gateway that fails without a reason is asked. */
const INTERNAL_AT_MOST = 3;

/** Whether the same call may be answered later, after so many attempts. The flag that gateways send is true of too much. */
export function mayPass({ kind, message }: GatewayFailure, attempts: number): boolean {
  if (kind === 'io') return !FINAL.test(message);
  if (kind === 'internal') return attempts < INTERNAL_AT_MOST;
  return kind === 'unreachable' || kind === 'lost';
}
