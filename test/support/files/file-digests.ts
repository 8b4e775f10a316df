import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A digest of every file below a directory, by relative path; a folder has a special value. */
export async function fileDigests(directory: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const digest = async () =>
      createHash('sha1')
        .update(await readFile(path))
        .digest('hex');
    found[path.slice(directory.length)] = entry.isFile() ? await digest() : 'folder';
  }
  return found;
}
