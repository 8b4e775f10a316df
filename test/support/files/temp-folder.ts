import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, onTestFinished } from 'vitest';

const make = (): string => mkdtempSync(join(tmpdir(), 'webcrawl-test-'));
const remove = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** A new folder. It is removed after the test that makes it, or whose `beforeEach` makes it. */
export function testFolder(): string {
  const folder = make();
  onTestFinished(() => remove(folder));
  return folder;
}

/** A new folder. It is removed after the last test of the file or `describe` that makes it. */
export function suiteFolder(): string {
  const folder = make();
  afterAll(() => remove(folder));
  return folder;
}

/** A fixed path for all tests of a file or `describe`. Its folder is made again for each of them. */
export function freshFolder(): string {
  const folder = suiteFolder();
  beforeEach(() => mkdir(folder, { recursive: true }));
  afterEach(() => remove(folder));
  return folder;
}
