import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlError } from '../../packages/errors/index.js';
import type { ContentStore } from '../content/content-store.js';
import type { Store } from '../store.js';
import { connectTo, type Connection } from './connection.js';
import { lockedBy, type Holder } from './holder.js';
import { RemoteStore } from './remote-store.js';
import type { LiveServer } from './server.js';
import { LOOK_AGAIN_MS, PATIENCE_MS, waitUntilYielded } from './wait-until-yielded.js';

/** How to come to a table that other processes use too. */
export interface SharedStoreOptions {
  /** The folder of the table. */
  readonly directory: string;
  /** Opens the table itself; it throws TABLE_LOCKED where another process has it open. */
  readonly open: () => Promise<Store>;
  /** Where the bodies are while another process has the table open; they are read there, and not through that process. */
  readonly content?: () => ContentStore;
  /** What is done with the table, and by which version of webcrawl; other processes see it. */
  readonly name: string;
  readonly version: string;
  /** The table is needed for this process alone. Otherwise what another one has open is read through that. */
  readonly alone?: boolean;
  /** Let other processes use the table while it is open here. Default: true. */
  readonly serve?: boolean;
  /** Close the table for a process that needs it alone, and read it through that process meanwhile, but in {@link SharedStore.holdAlone}. Default: false. */
  readonly yields?: boolean;
  /** Seconds to wait for a table that cannot be used now. Default: 0. */
  readonly wait?: number;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
  /** Called once when the wait begins; without `holder` where the other process is not known. */
  readonly onWait?: (holder: Holder | undefined) => void;
  /** What goes on here, as JSON, for a process that asks. */
  readonly status?: () => Promise<unknown>;
  /** Milliseconds for which another process may hold the lock `rows`. */
  readonly leaseMs?: number;
}

/** The table is open here, or in another process, or closed for one. */
export type Place =
  | { readonly kind: 'own'; readonly store: Store; server?: Promise<LiveServer | undefined> }
  | { readonly kind: 'remote'; readonly store: RemoteStore; readonly connection: Connection }
  | { readonly kind: 'given'; readonly store: Pick<Store, 'content' | 'close'>; readonly released: Promise<void> };
/** Where the table can be read. */
export type OpenPlace = Exclude<Place, { kind: 'given' }>;

/** Milliseconds for which the table is left to the process that it was closed for. */
const YIELD_MS = 1_500;

/** Connects to the process that the table was closed for; undefined where none has opened it. */
export async function findOther({ directory, version, content }: SharedStoreOptions): Promise<OpenPlace | undefined> {
  const until = performance.now() + YIELD_MS;
  do {
    const connection = await connectTo(directory, version);
    if (connection) return remotePlace(connection, content);
    await sleep(LOOK_AGAIN_MS);
  } while (performance.now() < until);
  return undefined;
}

/** Opens the table or connects to who has it open, as often as it takes. */
export async function findPlace(options: SharedStoreOptions): Promise<OpenPlace> {
  const { wait = 0, signal, onWait = () => {} } = options;
  const began = performance.now();
  let patience = wait * 1000;
  let hasTold = false;
  for (;;) {
    const found = await tryPlace(options);
    if ('kind' in found) return found;
    const { error, connection } = found;
    if (wait > 0 && !hasTold) onWait(connection?.holder);
    hasTold ||= wait > 0;
    patience = Math.max(patience, found.patience);
    const left = patience - (performance.now() - began);
    if (connection) {
      const isLost = await waitUntilYielded(connection, left, signal);
      connection.close();
      if (!isLost) throw error;
      // It closes the table now, or another process opens it.
      patience = Math.max(patience, performance.now() - began + PATIENCE_MS);
    } else {
      if (left <= 0 || signal?.aborted) throw error;
      await sleep(Math.min(left, LOOK_AGAIN_MS), undefined, signal && { signal }).catch(() => undefined);
    }
  }
}

/** What keeps a table from being opened, and for how many milliseconds it is waited for in any case. */
interface Obstacle {
  readonly error: CrawlError;
  readonly connection?: Connection;
  readonly patience: number;
}

async function tryPlace({
  directory,
  open,
  content,
  version,
  alone = false,
}: SharedStoreOptions): Promise<OpenPlace | Obstacle> {
  let patience = 0;
  try {
    const connection = await connectTo(directory, version);
    if (connection) {
      if (!alone) return remotePlace(connection, content);
      return { error: connection.refusal ?? lockedBy(connection.holder, directory), connection, patience };
    }
    patience = PATIENCE_MS;
    return { kind: 'own', store: await open() };
  } catch (error) {
    if (error instanceof CrawlError && error.code === 'TABLE_LOCKED') return { error, patience };
    throw error;
  }
}

/** @throws CrawlError TABLE_LOCKED where the other process runs another version */
function remotePlace(connection: Connection, content: SharedStoreOptions['content']): OpenPlace {
  if (connection.refusal) {
    connection.close();
    throw connection.refusal;
  }
  return { kind: 'remote', store: new RemoteStore(connection, content?.()), connection };
}
