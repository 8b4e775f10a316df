import { CrawlError } from '../../packages/errors/index.js';
import { ConnectionLost } from './connection.js';
import { findAccess, findOther, type OpenAccess, type SharedStoreOptions, type TableAccess } from './table-access.js';
import { lockedBy } from './table-owner.js';
import { waitUntilYielded } from './wait-until-yielded.js';

/** Maximum number of requests to yield the table. */
const MAX_YIELD_REQUESTS = 5;

/**
 * The present access to a table: the table is open in this process, or in another process that serves it. When the other process ends, this
 * class finds a new access.
 */
export class CurrentAccess {
  readonly #options: SharedStoreOptions;
  readonly #onMoved: (access: TableAccess) => Promise<void>;
  #access: TableAccess;
  #moving: Promise<void> | undefined;
  /** Number of running tasks of this process that need the table to stay open here. */
  #holds = 0;
  /** Number of running requests, to this process or another. */
  #requests = 0;
  /** Called when the last running request has ended. */
  #onQuiet = (): void => {};
  #closing: Promise<void> | undefined;

  /** @param onMoved called when the table was opened again, in this process or in another one */
  constructor(options: SharedStoreOptions, access: TableAccess, onMoved: (access: TableAccess) => Promise<void>) {
    this.#options = options;
    this.#access = access;
    this.#onMoved = onMoved;
  }

  get current(): TableAccess {
    return this.#access;
  }

  /**
   * Sends a request to the process that has the table open. If that process ends meanwhile, the request is sent again to the next process.
   * @param isRepeatable false: the request is not sent again if it may have begun
   */
  async retry<T>(request: (access: OpenAccess) => Promise<T>, isRepeatable = true): Promise<T> {
    for (;;) {
      try {
        return await this.at(request);
      } catch (error) {
        if (!(error instanceof ConnectionLost && (isRepeatable || error.wasClosed))) throw error;
      }
    }
  }

  /** Sends a request to the process that has the table open. Until the response, this process does not close the table. */
  async at<T>(request: (access: OpenAccess) => Promise<T>): Promise<T> {
    let access: OpenAccess | undefined;
    // A loop, because the table may be yielded again meanwhile.
    while (!(access = this.#openAccess()))
      await (this.#moving ??= this.#move().finally(() => (this.#moving = undefined)));
    this.#requests += 1;
    try {
      return await request(access);
    } finally {
      this.#requests -= 1;
      if (this.#requests === 0) this.#onQuiet();
    }
  }

  /** Runs a task, and does not yield the table meanwhile. */
  async hold<T>(task: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await task();
    } finally {
      this.#holds -= 1;
    }
  }

  /**
   * Opens the table in this process if it is open elsewhere. Then runs a task, and does not yield the table meanwhile.
   * @throws CrawlError TABLE_LOCKED if another process has the table open and does not yield it
   */
  withoutYielding<T>(task: () => Promise<T>): Promise<T> {
    return this.hold(async () => {
      for (let times = 0; ; times += 1) {
        const access = await this.at((found) => Promise.resolve(found));
        if (access.kind === 'local') return task();
        const { connection } = access;
        if (times === MAX_YIELD_REQUESTS || !(await waitUntilYielded(connection)))
          throw lockedBy(connection.owner, this.#options.directory);
      }
    });
  }

  /**
   * Closes the table for another process once no request is running. Later requests go to that process.
   * @returns whether the table will be closed
   */
  yield(): boolean {
    const access = this.#access;
    // A task in `hold` sends more requests, so the table cannot be closed before the task ends.
    if (!this.#options.yields || this.#closing || this.#holds > 0) return false;
    if (access.kind !== 'local') return true;
    const release = async (): Promise<void> => {
      if (this.#requests > 0) await new Promise<void>((resolve) => (this.#onQuiet = resolve));
      // Other processes can connect as soon as the socket exists, before the server is returned.
      const server = await access.server;
      try {
        await server?.drain();
        await access.store.close();
      } finally {
        await server?.close(true);
      }
    };
    const content = this.#options.content?.();
    const store = { ...(content && { content }), close: async () => content?.close() };
    const released = release();
    // The next request awaits this promise and gets its error. Without a handler here, the error would end the process first.
    released.catch(() => undefined);
    this.#access = { kind: 'given', store, released };
    return true;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  /** @throws CrawlError CLOSED */
  assertOpen(): void {
    if (this.#closing) throw new CrawlError('CLOSED', 'the store is closed');
  }

  /** Returns the access; undefined if it is lost or yielded. */
  #openAccess(): OpenAccess | undefined {
    const access = this.#access;
    if (access.kind === 'local') return access;
    this.assertOpen();
    return access.kind === 'remote' && !access.connection.isLost ? access : undefined;
  }

  /** After the process with the table has yielded or ended: opens the table in this process, or connects to its new process. */
  async #move(): Promise<void> {
    const before = this.#access;
    const options = { ...this.#options, alone: false, waitSeconds: 0 };
    if (before.kind === 'given') await before.released;
    // During `hold`, this process itself has requested the table, so the table was not yielded to a third process.
    const isLeft =
      before.kind === 'given' || (before.kind === 'remote' && before.connection.hasYielded && this.#holds === 0);
    this.#access = (isLeft && (await findOther(options))) || (await findAccess(options));
    await this.#onMoved(this.#access);
  }

  async #close(): Promise<void> {
    await this.#moving?.catch(() => undefined);
    const access = this.#access;
    try {
      if (access.kind === 'local') await (await access.server)?.close();
      if (access.kind === 'given') await access.released;
    } finally {
      await access.store.close();
    }
  }
}
