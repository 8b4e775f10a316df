import { pause } from '../../packages/util/index.js';
import { CrawlError } from '../../packages/errors/index.js';
import type { ContentStore } from '../content/content-store.js';
import type { OwnerVerb, Store } from '../store.js';
import { connectTo, type Connection } from './connection.js';
import type { Verb } from './handle-request.js';
import { lockedBy, type TableOwner } from './table-owner.js';
import { RemoteStore } from './remote-store.js';
import type { LiveServer } from './server.js';
import { POLL_MS, PATIENCE_MS, waitUntilYielded } from './wait-until-yielded.js';

/** How to open or reach a table that other processes use too. */
export interface SharedStoreOptions {
  /** The folder of the table. */
  readonly directory: string;
  /** Opens the table in this process; throws TABLE_LOCKED if another process has the table open. */
  readonly open: () => Promise<Store>;
  /** The store of the bodies while another process has the table open. Bodies are then read directly, not through the other process. */
  readonly content?: () => ContentStore;
  /** The name of the work, as other processes see it. */
  readonly name: string;
  readonly version: string;
  /** This process needs the table alone. Otherwise it may read a table through the process that has it open. */
  readonly alone?: boolean;
  /** Whether other processes may use the table while it is open in this process. Default: true. */
  readonly serve?: boolean;
  /**
   * Whether to close the table if another process needs it alone. This process then uses the table through the other process. During {@link
   * SharedStore.withoutYielding} the table stays open. Default: false.
   */
  readonly yields?: boolean;
  /** Time to wait for a table that cannot be used yet. Default: 0. */
  readonly waitSeconds?: number;
  /** Aborts the wait. */
  readonly signal?: AbortSignal;
  /** Called once when the wait begins; without `owner` if the other process is unknown. */
  readonly onWait?: (owner: TableOwner | undefined) => void;
  /** What this process is doing, as JSON, for other processes. */
  readonly status?: () => Promise<unknown>;
  /** What this process does for other processes while it has the table open. */
  readonly verbs?: Readonly<Record<OwnerVerb, Verb>>;
}

/**
 * The access of this process to a table. `local`: this process has the table open. `remote`: another process has the table open. `given`:
 * this process has closed the table for another process.
 */
export type TableAccess =
  | { readonly kind: 'local'; readonly store: Store; server?: Promise<LiveServer | undefined> }
  | { readonly kind: 'remote'; readonly store: RemoteStore; readonly connection: Connection }
  | { readonly kind: 'given'; readonly store: Pick<Store, 'content' | 'close'>; readonly released: Promise<void> };
/** An access through which the table can be read. */
export type OpenAccess = Exclude<TableAccess, { kind: 'given' }>;

/** Milliseconds within which the process that needs the table alone must open it. */
const YIELD_MS = 1_500;

/** Connects to the process for which the table was closed; undefined if that process has not opened it yet. */
export async function findOther({ directory, version, content }: SharedStoreOptions): Promise<OpenAccess | undefined> {
  const until = performance.now() + YIELD_MS;
  do {
    const connection = await connectTo(directory, version);
    if (connection) return remoteAccess(connection, content);
    await pause(POLL_MS);
  } while (performance.now() < until);
  return undefined;
}

/** Opens the table, or connects to the process that has it open; retries until one of the two succeeds. */
export async function findAccess(options: SharedStoreOptions): Promise<OpenAccess> {
  const { waitSeconds = 0, signal, onWait = () => {} } = options;
  const began = performance.now();
  let patience = waitSeconds * 1000;
  let hasTold = false;
  for (;;) {
    const found = await tryAccess(options);
    if ('kind' in found) return found;
    const { error, connection } = found;
    if (waitSeconds > 0 && !hasTold) onWait(connection?.owner);
    hasTold ||= waitSeconds > 0;
    patience = Math.max(patience, found.patience);
    const left = patience - (performance.now() - began);
    if (connection) {
      const isLost = await waitUntilYielded(connection, left, signal);
      connection.close();
      if (!isLost) throw error;
      // The other process is closing the table, or a third process is opening it.
      patience = Math.max(patience, performance.now() - began + PATIENCE_MS);
    } else {
      if (left <= 0 || signal?.aborted) throw error;
      await pause(Math.min(left, POLL_MS), signal);
    }
  }
}

/** Why a table cannot be opened, and how long to wait at least, in milliseconds. */
interface Obstacle {
  readonly error: CrawlError;
  readonly connection?: Connection;
  readonly patience: number;
}

async function tryAccess({
  directory,
  open,
  content,
  version,
  alone = false,
}: SharedStoreOptions): Promise<OpenAccess | Obstacle> {
  let patience = 0;
  try {
    const connection = await connectTo(directory, version);
    if (connection) {
      if (!alone) return remoteAccess(connection, content);
      return { error: connection.refusal ?? lockedBy(connection.owner, directory), connection, patience };
    }
    patience = PATIENCE_MS;
    return { kind: 'local', store: await open() };
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'TABLE_LOCKED') return { error, patience };
    throw error;
  }
}

/** @throws CrawlError TABLE_LOCKED if the other process runs another version */
function remoteAccess(connection: Connection, content: SharedStoreOptions['content']): OpenAccess {
  if (connection.refusal) {
    connection.close();
    throw connection.refusal;
  }
  return { kind: 'remote', store: new RemoteStore(connection, content?.()), connection };
}
