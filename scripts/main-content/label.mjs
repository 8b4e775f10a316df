// Labels of blocks, and scores of texts, from the two sets.

/** A text in the form for comparing fragments: without Markdown marks, with single spaces. */
export function plain(text) {
  return text
    .replace(/[*_`#>|]/g, '')
    .replace(/&amp;/g, '&')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/[\s\u00a0]+/g, ' ');
}

/** The text of a block. */
export function textOf(block) {
  return plain(block.nodes.map(({ value }) => value).join('')).trim();
}

/** Labels of blocks by fragments: `{block, label, weight}`, label 1 for content. */
export function labelsByFragments({ wanted, unwanted }, texts) {
  const labels = new Map();
  const places = (fragment) => texts.flatMap((text, i) => (text.includes(fragment) ? [i] : []));
  for (const fragment of unwanted) {
    const found = places(plain(fragment).trim());
    for (const block of found) labels.set(block, { block, label: 0, weight: 1 / Math.sqrt(found.length) });
  }
  for (const fragment of wanted) {
    const found = places(plain(fragment).trim());
    if (found.length === 0) continue;
    const block = found.reduce((a, b) => (texts[b].length > texts[a].length ? b : a));
    labels.set(block, { block, label: 1, weight: 1 });
  }
  return [...labels.values()];
}

/** Total weight of the labels of a page with an article. A page with fragments has about this number of labels of weight 1. */
const BLOCKS_OF_ARTICLE = 6;

/** Labels of blocks by the text of an article: by the share of their sequences of four words that occur in it. */
export function labelsByArticle({ article }, texts) {
  const known = new Set(shingles(wordsOf(article)));
  const lines = new Set(article.split('\n').map((line) => wordsOf(line).join(' ')));
  const labels = texts.flatMap((text, block) => {
    const words = wordsOf(text);
    if (words.length === 0) return [];
    if (words.length < 4) return [{ block, label: lines.has(words.join(' ')) ? 1 : 0, weight: 0.3 }];
    const own = shingles(words);
    const share = own.filter((shingle) => known.has(shingle)).length / own.length;
    if (share > 0.2 && share < 0.6) return [];
    return [{ block, label: share >= 0.6 ? 1 : 0, weight: Math.min(3, Math.sqrt(words.length) / 3) }];
  });
  // A few of them, spread over the page: the step is a prime.
  const some = labels.filter((_, i) => (i * 7919) % labels.length < 2 * BLOCKS_OF_ARTICLE);
  const total = some.reduce((sum, { weight }) => sum + weight, 0);
  return some.map((one) => ({ ...one, weight: (one.weight * BLOCKS_OF_ARTICLE) / total }));
}

function wordsOf(text) {
  return text.match(/[\p{L}\p{N}_]+/gu) ?? [];
}

/** All sequences of four words. */
function shingles(words) {
  return words.slice(0, Math.max(1, words.length - 3)).map((_, i) => words.slice(i, i + 4).join(' '));
}

/** Numbers of fragments: wanted and in the text, wanted and missing, unwanted and in the text. */
export function countFragments({ wanted, unwanted }, text) {
  const has = (fragment) => text.includes(plain(fragment));
  const right = wanted.filter(has).length;
  return { right, missing: wanted.length - right, wrong: unwanted.filter(has).length };
}

/** Precision and recall of a text, by sequences of four words. */
export function countShingles({ article }, text) {
  const truth = counts(shingles(wordsOf(article)));
  const found = counts(shingles(wordsOf(text)));
  let right = 0;
  let wrong = 0;
  let missing = 0;
  for (const shingle of new Set([...truth.keys(), ...found.keys()])) {
    const [a, b] = [truth.get(shingle) ?? 0, found.get(shingle) ?? 0];
    right += Math.min(a, b);
    wrong += Math.max(0, b - a);
    missing += Math.max(0, a - b);
  }
  return { precision: right + wrong > 0 ? right / (right + wrong) : undefined, recall: right / (right + missing) };
}

function counts(items) {
  const found = new Map();
  for (const item of items) found.set(item, (found.get(item) ?? 0) + 1);
  return found;
}
