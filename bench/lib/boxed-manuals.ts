/** Manuals whose content box, and what lies beside the content within it, were written down by hand in bench/manual-boxes.json. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BENCH, PEERS } from './folders.js';

/**
 * `tuning` and `held out` are manuals that state no generator known to webcrawl. No choice may be made by those that are held out.
 * `marked` manuals state one.
 */
export type ManualSet = 'tuning' | 'held out' | 'marked';

export interface BoxedManual {
  readonly name: string;
  readonly set: ManualSet;
  readonly package?: string;
  readonly folder: string;
  readonly box: string;
  /** Selects elements within the box that are not content: menus, footers, and in most manuals the list of sections of the page itself. */
  readonly beside?: string;
  readonly skip?: string;
}

export const BOXED_MANUALS = JSON.parse(readFileSync(join(BENCH, 'manual-boxes.json'), 'utf8')) as BoxedManual[];

/** Larger files are left out: a few would take most of the time. */
const MAX_BYTES = 300_000;

export function isManualThere({ folder }: BoxedManual): boolean {
  return existsSync(join(PEERS, folder));
}

/** The files of a manual, in the order of the hashes of their paths within its folder. */
export async function filesOf({ folder, skip }: BoxedManual): Promise<string[]> {
  const root = join(PEERS, folder);
  const isSkipped = (path: string): boolean => skip !== undefined && new RegExp(skip).test(path);
  return (await readdir(root, { recursive: true }))
    .filter((path) => /\.html?$/.test(path) && !isSkipped(path))
    .map((path) => ({ path: join(root, path), hash: createHash('sha256').update(path).digest('hex') }))
    .filter(({ path }) => statSync(path, { throwIfNoEntry: false })?.isFile() && statSync(path).size <= MAX_BYTES)
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ path }) => path);
}
