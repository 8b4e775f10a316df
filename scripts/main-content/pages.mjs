// Reads the two public sets that the verdicts on blocks are trained with. They stay outside of the project.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * The comparison set of go-trafilatura: pages, and fragments that must and must not be in their main content.
 * @param module the folder of the Go module github.com/markusmobius/go-trafilatura
 * @param part `tuning`, or `all`, which is only for measuring
 */
export function comparisonPages(module, part = 'tuning') {
  const entries = Object.entries(readGoMap(readFileSync(join(module, 'scripts/comparison/data.go'), 'utf8')));
  return entries
    .map(([url, { file, with: wanted = [], without: unwanted = [] }]) => ({
      url,
      file: join(module, 'test-files/comparison', file),
      wanted,
      unwanted,
    }))
    .filter(({ url, file }) => (part === 'all' || isTuning(url)) && existsSync(file))
    .map((page) => ({ ...page, html: readFileSync(page.file) }));
}

/** Whether an entry may be used to choose anything. */
export function isTuning(url) {
  return /^[0-9]/.test(createHash('sha1').update(url).digest('hex'));
}

/** The article-extraction-benchmark of Scrapinghub: pages and the whole text of their articles. @param folder a checkout of it */
export function articlePages(folder) {
  const truth = JSON.parse(readFileSync(join(folder, 'ground-truth.json'), 'utf8'));
  return Object.entries(truth).map(([id, { url, articleBody }]) => ({
    url,
    article: articleBody,
    html: gunzipSync(readFileSync(join(folder, 'html', `${id}.html.gz`))),
  }));
}

/** The host of a URL without `www.`. */
export function hostOf(url) {
  return new URL(url).hostname.replace(/^www\./, '');
}

/** The entries of the map `comparisonData` of a Go source, with their strings and lists of strings. */
function readGoMap(source) {
  const map = {};
  let entry;
  const body = source.slice(source.indexOf('map[string]ComparisonEntry{'));
  const token =
    /"((?:\\.|[^"\\])*)"\s*:\s*\{|(\w+):\s*(?:\[\]string\{((?:\s*"(?:\\.|[^"\\])*"\s*,?\s*)*)\}|"((?:\\.|[^"\\])*)")/g;
  for (const [, url, field, list, text] of body.matchAll(token)) {
    if (url !== undefined) entry = map[unquote(url)] = {};
    else if (entry) {
      const strings = [...(list ?? '').matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, one]) => unquote(one));
      entry[field.toLowerCase()] = text === undefined ? strings : unquote(text);
    }
  }
  return map;
}

function unquote(text) {
  return text.replace(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2})|(.))/gi, (_, u, x, one) => {
    if (u ?? x) return String.fromCharCode(parseInt(u ?? x, 16));
    return { n: '\n', t: '\t', r: '\r' }[one] ?? one;
  });
}
