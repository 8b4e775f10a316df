import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addressOf, madeUpPage, pathOf, type MadeUpSite } from '../made-up-site.js';

/**
 * Writes the pages of a made-up site as files, each host into a folder named by its address. Links must stay on hosts, as the port is
 * unknown.
 */
export async function writeMadeUpSite(folder: string, site: Omit<MadeUpSite, 'port'>): Promise<void> {
  for (let host = 0; host < site.hosts; host++) {
    const root = join(folder, addressOf(host));
    await mkdir(join(root, dirname(pathOf(1))), { recursive: true });
    for (let page = 0; page < site.pagesPerHost; page++) {
      const path = pathOf(page);
      const html = madeUpPage({ ...site, port: 0 }, host, path);
      await writeFile(join(root, path === '/' ? 'index.html' : path), html!);
    }
  }
}
