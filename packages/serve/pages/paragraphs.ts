/** When a paragraph has this number of characters, it ends after the present sentence. */
const ENOUGH = 400;
/** Maximum number of characters of a paragraph. A longer sentence is split. */
const MOST = 1200;

/**
 * Splits a text into paragraphs for reading: at its line breaks, and between sentences of a long line. This is needed because the stored
 * text does not have the paragraphs of the page.
 * @param language of the text, as a BCP 47 tag
 */
export function paragraphsOf(text: string, language: string | undefined): readonly string[] {
  const sentences = new Intl.Segmenter(localeOf(language), { granularity: 'sentence' });
  const found: string[] = [];
  for (const line of text.split(/\s*\n\s*/)) {
    let paragraph = '';
    const end = (): void => {
      if (paragraph.trim() !== '') found.push(paragraph.trim());
      paragraph = '';
    };
    for (const { segment } of sentences.segment(line)) {
      for (const piece of piecesOf(segment)) {
        if (paragraph.length + piece.length > MOST) end();
        paragraph += piece;
        if (piece !== segment) end();
      }
      if (paragraph.length >= ENOUGH) end();
    }
    end();
  }
  return found;
}

/** Splits an endless sentence, such as a menu or code, into pieces that end before a word. */
function piecesOf(sentence: string): readonly string[] {
  const pieces: string[] = [];
  let rest = sentence;
  if (sentence.length <= MOST) return [sentence];
  while (rest.length > ENOUGH) {
    const blank = rest.lastIndexOf(' ', ENOUGH);
    const at = blank > 0 ? blank : ENOUGH;
    // The halves of a surrogate pair stay together.
    const isHigh = /[\ud800-\udbff]/.test(rest[at - 1] ?? '');
    const cut = isHigh ? at - 1 : at;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

function localeOf(language: string | undefined): string | undefined {
  try {
    return language === undefined ? undefined : Intl.getCanonicalLocales(language)[0];
  } catch {
    return undefined;
  }
}
