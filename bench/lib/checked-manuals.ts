import { readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MANUAL_FOLDER } from './manual-pages.js';
import { serveFolder } from './nginx.js';

export type CheckedSite = Awaited<ReturnType<typeof serveChecked>>;

/** Path on the site, folder below {@link MANUAL_FOLDER}, and first page. Manuals with few links to fragments come first. */
const DEBIAN = [
  ['debian-handbook', 'doc/debian-handbook/html/en-US', 'index.html'],
  ['maint-guide', 'doc/maint-guide/html', 'index.en.html'],
  ['installation-guide', 'doc/installation-guide-amd64/en', 'index.html'],
  ['aptitude', 'doc/aptitude/html/en', 'index.html'],
  ['debian-faq', 'doc/debian/FAQ', 'index.en.html'],
  ['debian-reference', 'debian-reference', 'index.en.html'],
  ['developers-reference', 'developers-reference', 'index.html'],
  ['debian-policy', 'doc/debian-policy', 'policy.html/index.html'],
] as const;
const RUST = 'doc/rust-doc/html';

/**
 * Fills the folder of a site, and returns its seeds. The other books and crates of Rust are not served, so links to them are
 * broken.
 */
export const CHECKED_SITES = {
  debian: (root: string) => debian(root, DEBIAN.length),
  rust: (root: string) => rust(root, ['std', 'book', 'src'], ['std/index.html', 'book/index.html']),
  'debian-few': (root: string) => debian(root, 4),
  'rust-book': (root: string) => rust(root, ['book'], ['book/index.html']),
} as const;

/** Serves manuals by nginx on a free port. */
export async function serveChecked(name: keyof typeof CHECKED_SITES) {
  let paths: readonly string[] = [];
  const { seeds, close } = await serveFolder(async (root) => (paths = await CHECKED_SITES[name](root)));
  const url = seeds[0]!;
  return { url, seeds: paths.map((path) => url + path), close };
}

async function debian(root: string, count: number): Promise<readonly string[]> {
  const manuals = DEBIAN.slice(0, count);
  for (const [path, folder] of manuals) await symlink(join(MANUAL_FOLDER, folder), join(root, path));
  const links = manuals.map(([path, , first]) => `<li><a href="${path}/${first}">${path}</a>`).join('');
  await writeFile(join(root, 'index.html'), `<!DOCTYPE html><html lang="en"><title>Manuals</title><ul>${links}</ul>`);
  return [''];
}

async function rust(root: string, parts: readonly string[], seeds: readonly string[]): Promise<readonly string[]> {
  const from = join(MANUAL_FOLDER, RUST);
  const files = (await readdir(from, { withFileTypes: true })).filter((entry) => entry.isFile());
  for (const name of [...files.map((file) => file.name), ...parts]) await symlink(join(from, name), join(root, name));
  return seeds;
}
