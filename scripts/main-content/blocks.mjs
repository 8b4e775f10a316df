// Reads pages of the sets: their blocks, features and labels.
import { labelsByArticle, labelsByFragments, textOf } from './label.mjs';
import { hostOf } from './pages.mjs';

const SETTINGS = { parser: { timeout: 60, characterEncodingDefault: 'windows-1252' } };

/**
 * Reads a page of one of the sets. Undefined for one without a body.
 * @param library the compiled modules that read pages
 */
export function readBlocks({ html, ...given }, { htmlDocument, first, readPage, isManual, FEATURES }) {
  const charset = given.article === undefined ? undefined : 'utf-8';
  const document = htmlDocument({ content: html, contentType: 'text/html', charset }, SETTINGS);
  const body = document && first(document, ({ tagName }) => tagName === 'body');
  if (!body) return undefined;
  const page = readPage(document, body);
  const see = Object.values(FEATURES);
  const rows = page.blocks.map((block) => Float32Array.from(see, (feature) => feature(block, page)));
  const texts = page.blocks.map(textOf);
  const labels = given.article === undefined ? labelsByFragments(given, texts) : labelsByArticle(given, texts);
  const options = { captions: false, isManual: isManual(document, page) };
  return { ...given, page, options, rows, texts, labels, host: hostOf(given.url) };
}

/** The compiled modules that read pages and see features. */
export async function loadLibrary() {
  const parts = [
    'html-document',
    'elements',
    'main/page',
    'main/features',
    'main/neighbours',
    'main/keep',
    'main/by-names',
  ];
  const modules = await Promise.all(parts.map((part) => import(`../../dist/packages/parse/html/${part}.js`)));
  return Object.assign({}, ...modules);
}
