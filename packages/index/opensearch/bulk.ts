import { CrawlError } from '../../errors/index.js';
import type { Connection } from './connection.js';
import { isBusy, isMissing, refused, unexpectedResponse, type Reason } from './errors.js';

export interface Operation {
  readonly id: string;
  /** The one or two lines of NDJSON of the operation, with line breaks. */
  readonly lines: string;
}

const MAX_OPERATIONS = 500;
const MAX_UTF16_UNITS = 2_500_000;

/**
 * Sends operations in groups. While one request is sent, the next one is prepared. Operations that the server cannot accept now are sent
 * again.
 * @throws CrawlError STORE_FAILED when the server refuses an operation, or stays busy; STORE_FULL
 */
export async function sendBulk(connection: Connection, operations: Iterable<Operation>): Promise<void> {
  let underWay: Promise<void> = Promise.resolve();
  let some: Operation[] = [];
  let units = 0;
  const flush = async (): Promise<void> => {
    await underWay;
    underWay = sendSome(connection, some);
    // Prevents an unhandled rejection. The next `await` of the promise throws the error.
    underWay.catch(() => undefined);
    [some, units] = [[], 0];
  };
  for (const operation of operations) {
    if (some.length >= MAX_OPERATIONS || (some.length > 0 && units + operation.lines.length > MAX_UTF16_UNITS))
      await flush();
    some.push(operation);
    units += operation.lines.length;
  }
  if (some.length > 0) await flush();
  await underWay;
}

async function sendSome(connection: Connection, operations: readonly Operation[]): Promise<void> {
  let left = operations;
  const patience = connection.patience();
  for (;;) {
    const response = await connection.ask('POST', '/_bulk', left.map(({ lines }) => lines).join(''), patience);
    const outcomes = outcomesOf(response, left, connection.name);
    let busy: Reason | undefined;
    left = left.filter((_, i) => {
      const { status, error } = outcomes[i]!;
      if (isBusy(status, error)) busy = error ?? {};
      return isBusy(status, error);
    });
    if (left.length === 0) return;
    await patience.pause(String(busy?.reason ?? 'it is busy'));
  }
}

interface Outcome {
  readonly _id?: unknown;
  readonly status: number;
  readonly error?: Reason;
}

/** Returns the result of each operation. @throws CrawlError for an operation that the server will never accept */
function outcomesOf(response: unknown, operations: readonly Operation[], name: string): Outcome[] {
  const { items } = (response ?? {}) as { readonly items?: unknown };
  if (!Array.isArray(items) || items.length !== operations.length)
    throw unexpectedResponse(name, `an outcome of each of ${operations.length} documents`);
  const outcomes = items.map((item, i) => {
    const [found] = Object.values((item ?? {}) as Record<string, Outcome | undefined>);
    if (typeof found?.status !== 'number' || found._id !== operations[i]!.id)
      throw unexpectedResponse(name, 'the outcome of a document');
    return found;
  });
  const bad = outcomes.filter(
    ({ status, error }) => !(status >= 200 && status < 300) && !isMissing(status, error) && !isBusy(status, error),
  );
  const [first] = bad;
  if (!first) return outcomes;
  const { code, message, hint, cause } = refused(first.status, first.error, name);
  const which = `${bad.length} of ${operations.length} documents, the first ${String(first._id)}: `;
  throw new CrawlError(code, code === 'STORE_FULL' ? message : which + message, {
    ...(hint !== undefined && { hint }),
    cause,
  });
}
