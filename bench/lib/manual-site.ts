import { readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MANUAL_FOLDER, MANUAL_LANGUAGES, manualFiles, type ManualFile, type ManualLanguage } from './manual-pages.js';
import { serveFolder } from './nginx.js';

const NAMES: Readonly<Record<ManualLanguage, string>> = {
  en: 'English',
  zh: '中文',
  ja: '日本語',
  ko: '한국어',
  ru: 'Русский',
};
const FIRST = /^(?:index|new_help)(?:\.[\w-]+)?\.html$/;

/**
 * Serves the manuals by nginx on a free port of 127.0.0.1. A start page leads to each manual. robots.txt names a sitemap with all their
 * pages, since some manuals have links only in scripts.
 */
export async function serveManuals() {
  const files = await manualFiles();
  const served = await serveFolder(async (root) => {
    for (const name of await readdir(MANUAL_FOLDER)) await symlink(join(MANUAL_FOLDER, name), join(root, name));
  });
  const { root, server, close } = served;
  const url = served.seeds[0]!;
  await writeFile(join(root, 'index.html'), startPage(files));
  await writeFile(join(root, 'robots.txt'), `User-agent: *\nDisallow:\nSitemap: ${url}sitemap.xml\n`);
  await writeFile(join(root, 'sitemap.xml'), sitemap(url, files));
  const seeds = join(root, 'seeds.txt');
  await writeFile(seeds, `${url}\n`);
  const pages = { en: 0, zh: 0, ja: 0, ko: 0, ru: 0 };
  for (const { language } of files) pages[language] += 1;
  return { url, seeds, pages, server, close };
}

function startPage(files: readonly ManualFile[]): string {
  const parts = MANUAL_LANGUAGES.map((language) => {
    const first = files.filter((file) => file.language === language && FIRST.test(basename(file.path)));
    const links = first.map(({ path }) => `<li><a href="/${path}">${path}</a></li>`);
    return `<h2 lang="${language}">${NAMES[language]}</h2>\n<ul>\n${links.join('\n')}\n</ul>\n`;
  });
  return `<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>Manuals</title>\n<h1>Manuals</h1>\n${parts.join('')}</html>\n`;
}

function sitemap(url: string, files: readonly ManualFile[]): string {
  const entries = files.map(({ path }) => `<url><loc>${new URL(encodeURI(path), url).href}</loc></url>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join('\n')}\n</urlset>\n`;
}
