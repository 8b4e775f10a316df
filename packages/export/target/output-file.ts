import { link, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CrawlError } from '../../errors/index.js';
import { attempt, thereAlready } from './files.js';
import { checkName, nameNew } from './place.js';

/** A file that is being written, and is not seen under its name before it is whole. */
export interface OutputFile {
  /** Appends; text as UTF-8. @throws CrawlError STORE_FULL, BAD_OUTPUT */
  write(data: string | Uint8Array): Promise<void>;
  /** Makes all of it safe on the disk and gives it its name. */
  commit(): Promise<void>;
  /** Removes what was written, unless it was committed. */
  [Symbol.asyncDispose](): Promise<void>;
}

const BUFFER = 65_536;

/**
 * Begins a file beside the one that is meant, `.<name>.<pid>.part`. A process that is killed leaves that one behind.
 * @param force a file that is there already is replaced at the end
 * @throws CrawlError BAD_OUTPUT when it is there already, or cannot be written
 */
export async function openOutput(path: string, force: boolean): Promise<OutputFile> {
  checkName(path, 'file');
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  const file = await attempt(path, async () => {
    // Found out now, and not after an hour of writing.
    const found = await stat(path).catch(() => undefined);
    if (found && !found.isFile())
      throw new CrawlError('BAD_OUTPUT', `expected a file as output, found another at ${path}`);
    if (found && !force) throw thereAlready(path);
    return open(part, 'w', 0o666);
  });
  let waiting: Buffer[] = [];
  let size = 0;
  let isOpen = true;

  async function flush(): Promise<void> {
    const data = Buffer.concat(waiting);
    waiting = [];
    size = 0;
    await attempt(path, () => file.writeFile(data));
  }

  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    await file.close();
  }

  return {
    async write(data) {
      const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
      waiting.push(bytes);
      size += bytes.length;
      if (size >= BUFFER) await flush();
    },
    async commit() {
      await flush();
      await attempt(path, async () => {
        await file.sync();
        await close();
        if (force) await rename(part, path);
        else await nameNew({ link, rename, rm, stat }, part, path);
      });
    },
    async [Symbol.asyncDispose]() {
      await close();
      await rm(part, { force: true });
    },
  };
}
