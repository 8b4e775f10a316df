import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, codeNodes, first, isElement, isLineNumbers } from '../../core/index.js';
import type { Code } from './blocks.js';
import { withoutControls } from './control-characters.js';

/** Elements that generators of pages use for a single line of code. */
const LINES: ReadonlySet<string> = new Set(['div', 'li', 'p', 'tr']);
/** Elements inside code whose text is not code. */
const NO_CODE: ReadonlySet<string> = new Set(['button', 'script', 'style', 'template']);
/**
 * Classes by which generators name the language of code: `language-js` (the HTML Standard, Prism, Docusaurus), `lang-js`,
 * `highlight-source-js` (GitHub), `highlight-python3` (Sphinx), `src-js` (Org).
 */
const LANGUAGE = /^(?:language|lang|highlight-source|highlight|src)-([\w+#.-]{1,30})$/i;
/** Words before the name of the language: `brush: js` (SyntaxHighlighter), `sourceCode python` (pandoc), `hljs python` (highlight.js). */
const BEFORE_LANGUAGE = /(?:^|\s)(?:brush:|sourceCode\s|hljs\s)\s*([\w+#.-]{1,30})/;
const NO_LANGUAGE = /^(default|none|plain|plaintext|notranslate|text)$/;
const MAX_LANGUAGE_ANCESTORS = 3;

/** Reads a block of code, without line numbers. */
export function codeOf(block: Tree.Element): Code {
  return {
    type: 'code',
    lang: languageOf(block) ?? null,
    value: textOf(block)
      .replace(/^(?:[\t ]*\n)+/, '')
      .trimEnd(),
  };
}

function languageOf(block: Tree.Element): string | undefined {
  const inner = first(block, ({ tagName }) => tagName === 'code');
  const looked: (Tree.ParentNode | null | undefined)[] = [inner, block];
  for (let i = 0; i < MAX_LANGUAGE_ANCESTORS; i++)
    looked.push((looked.at(-1) as Tree.Element | null | undefined)?.parentNode);
  for (const element of looked) {
    if (!element || !('tagName' in element)) continue;
    const found = languageIn(element);
    if (found !== undefined) return NO_LANGUAGE.test(found) ? undefined : found;
  }
  return undefined;
}

function languageIn(element: Tree.Element): string | undefined {
  const said = attribute(element, 'data-lang') ?? attribute(element, 'data-language');
  if (said !== undefined && /^[\w+#.-]{1,30}$/.test(said)) return said.toLowerCase();
  const classes = (attribute(element, 'class') ?? '').slice(0, 400);
  for (const name of classes.split(/\s+/)) {
    const language = LANGUAGE.exec(name)?.[1];
    if (language !== undefined) return language.toLowerCase();
  }
  return BEFORE_LANGUAGE.exec(classes)?.[1]?.toLowerCase();
}

function textOf(block: Tree.Element): string {
  const text: string[] = [];
  const newLine = (): void => {
    if (text.length > 0 && !text.at(-1)!.endsWith('\n')) text.push('\n');
  };
  const add = (node: Tree.Node): void => {
    if (node.nodeName === '#text') text.push((node as Tree.TextNode).value);
    else if (node.nodeName === 'br') text.push('\n');
    if (!isElement(node) || NO_CODE.has(node.tagName) || isLineNumbers(node)) return;
    const isLine = LINES.has(node.tagName);
    if (isLine) newLine();
    node.childNodes.forEach(add);
    if (isLine) newLine();
  };
  codeNodes(block).forEach(add);
  return withoutControls(text.join('').replace(/\r\n?/g, '\n'));
}
