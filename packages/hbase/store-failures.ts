import { CrawlError, safeText, type ErrorCode } from '../errors/index.js';
import { GatewayFailure, mayPass } from './gateway/failure.js';

/** The meanings of Java classes in errors of HBase. */
const MEANINGS: readonly {
  readonly name: RegExp;
  readonly code: ErrorCode;
  readonly expected: string;
  readonly hint: string;
}[] = [
  {
    name: /AccessDeniedException|AccessControlException/,
    code: 'STORE_DENIED',
    expected: 'the right to read and write the tables',
    hint: "have an operator grant it in the HBase shell: grant '<user>', 'RW', '@<namespace>'; <user> is the user that runs the gateway",
  },
  {
    name: /NamespaceNotFoundException|TableNotFoundException|UnknownTableException/,
    code: 'NO_TABLE',
    expected: 'the tables to exist',
    hint: 'webcrawl table create <url> makes them',
  },
  {
    name: /NoSuchColumnFamilyException/,
    code: 'NO_TABLE',
    expected: 'the tables to have all families',
    hint: 'webcrawl table create <url> adds the missing families',
  },
  {
    name: /TableNotEnabledException/,
    code: 'STORE_FAILED',
    expected: 'an enabled table',
    hint: "enable it in the HBase shell: enable '<table>'",
  },
  {
    name: /QuotaExceeded|No space left|NoSpace/i,
    code: 'STORE_FULL',
    expected: 'room for the table',
    hint: 'make room or raise the quota, and run the same command again; no finished work is lost',
  },
];

const AWAY_HINT =
  'run the same command again when HBase responds; `host:port` must be that of a Thrift2 gateway with the framed transport (hbase thrift2 start -f)';

/** @param where the location of the tables, as in a URL */
export function toStoreError(error: unknown, where: string): CrawlError {
  if (error instanceof CrawlError) return error;
  if (!(error instanceof GatewayFailure)) throw error;
  const { kind, gateway } = error;
  const found = safeText(firstLine(error.message), 400);
  const fail = (code: ErrorCode, expected: string, hint: string, what = found): CrawlError =>
    new CrawlError(code, `expected ${expected} at ${where}, found: ${what}`, { hint, cause: error });
  if (kind === 'unreachable' || kind === 'lost') {
    return fail('STORE_AWAY', 'a response of HBase', AWAY_HINT, `${found} (${gateway})`);
  }
  if (kind === 'garbled' || kind === 'unknown method') {
    const what = kind === 'garbled' ? found : `a Thrift server of another service: ${found}`;
    return fail(
      'STORE_FAILED',
      `the Thrift2 gateway of HBase at ${gateway}`,
      'start one with: hbase thrift2 start -f (not hbase thrift, which is another service)',
      what,
    );
  }
  const meaning = MEANINGS.find(({ name }) => name.test(error.message));
  if (meaning) return fail(meaning.code, meaning.expected, meaning.hint);
  if (kind === 'io' && mayPass(error, 1))
    return fail(
      'STORE_AWAY',
      'HBase to read and write',
      'see the logs of the HBase servers; then run the same command again',
    );
  return fail(
    'STORE_FAILED',
    'HBase to accept a call',
    `the log of the gateway ${gateway} has the reason`,
    found || 'an error without a reason',
  );
}

/** Returns the first line of a message. The other lines are a Java stack trace. */
function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? '';
}
