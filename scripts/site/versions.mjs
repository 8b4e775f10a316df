// The versions of the site that are side by side, and the files that list them.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const byNumbers = (a, b) => a.localeCompare(b, 'en', { numeric: true });

/** Compares versions, the newest first; `1.0.0` is newer than `1.0.0-rc.1`. */
export function newestFirst(a, b) {
  const [[coreA, ...preA], [coreB, ...preB]] = [a.split('-'), b.split('-')];
  if (coreA !== coreB) return byNumbers(coreB, coreA);
  if (preA.length === 0 || preB.length === 0) return preA.length - preB.length;
  return byNumbers(preB.join('-'), preA.join('-'));
}

/**
 * Writes the lists of versions into a folder: `versions.json` for the pages, and `index.html`, which redirects to the newest.
 * @returns the versions, the newest first
 */
export function listVersions(folder) {
  const versions = readdirSync(folder)
    .filter((name) => /^\d+\.\d+\.\d+/.test(name) && existsSync(join(folder, name, 'index.html')))
    .sort(newestFirst);
  writeFileSync(join(folder, 'versions.json'), `${JSON.stringify(versions)}\n`);
  const to = `${versions[0]}/`;
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>webcrawl</title><meta http-equiv="refresh" content="0; url=${to}"><a href="${to}">webcrawl ${versions[0]}</a>\n`,
  );
  return versions;
}
