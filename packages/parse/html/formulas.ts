import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { first, isElement, ownText, walkTree } from './elements.js';
import { attribute } from './html-tree.js';

const MATHML = 'http://www.w3.org/1998/Math/MathML' as Tree.Element['namespaceURI'];
/** Classes of the elements that KaTeX, MathJax and MediaWiki put around a formula and around its visible form. */
const AROUND = /(^|\s)(katex|katex-display|mwe-math-element|MathJax(_\w+)?|MJX\w*)(\s|$)/;
const IS_BLOCK = /(^|\s)(katex-display|MathJax_Display|mwe-math-mathml-display)(\s|$)/;
const SHOWN = /(^|\s)MathJax(_\w+)?(\s|$)/;
const MAX_ANCESTORS = 6;
const TEX = /^(application\/x-(la)?tex|(la)?tex|text\/x-(la)?tex)$/i;
const SCRIPT = /^\s*math\/tex\s*(?:;\s*mode\s*=\s*(display)\s*)?$/i;
/** The attribute with the TeX of a folded formula. The HTML parser makes names lower-case, so no page can set it. */
const TEX_OF_FORMULA = 'TeX';

/**
 * Replaces each formula by one `math` element. A page often contains a formula several times: as MathML, as an image and in its visible
 * form. If the page has the TeX of a formula, the TeX becomes the text of the `math` element, and {@link formulaTex} returns it. Otherwise
 * the element has the MathML of the page.
 */
export function foldFormulas(body: Tree.Element): void {
  const formulas: Tree.Element[] = [];
  dropShown(body);
  walkTree(body, {
    enter(element) {
      const isFormula = element.tagName === 'math' || (isScript(element) && texOf(ownText(element)) !== undefined);
      if (isFormula) formulas.push(element);
      else dropShown(element);
      return !isFormula;
    },
  });
  for (const formula of formulas) fold(formula);
}

/** The TeX of a `math` element that `foldFormulas` made, in one line. Undefined for any other element. */
export function formulaTex(math: Tree.Element): string | undefined {
  return attribute(math, TEX_OF_FORMULA);
}

function fold(formula: Tree.Element): void {
  const ofScript = isScript(formula);
  const tex = ofScript ? texOf(ownText(formula)) : texOfMathMl(formula);
  const around: Tree.Element[] = [formula];
  for (let i = 0; i < MAX_ANCESTORS; i++) {
    const up = around.at(-1)!.parentNode;
    if (!up || !isElement(up) || up.childNodes.length > 8) break;
    around.push(up);
  }
  while (around.length > 1 && !isAround(around.at(-1)!)) around.pop();
  const isBlock =
    around.some(isShownAsBlock) || (ofScript && SCRIPT.exec(attribute(formula, 'type') ?? '')?.[1] !== undefined);
  if (tex === undefined) dropAnnotations(formula);
  const outermost = around.at(-1)!;
  const { parentNode } = outermost;
  // The outermost element is changed in place, because it would take long to find it among many siblings.
  Object.assign(outermost, tex === undefined ? formula : mathOf(tex, isBlock), { parentNode });
  for (const node of outermost.childNodes) node.parentNode = outermost;
}

function isAround(element: Tree.Element): boolean {
  return element.tagName === 'mjx-container' || AROUND.test(classOf(element));
}

function isShownAsBlock(element: Tree.Element): boolean {
  if (attribute(element, 'display') === (element.tagName === 'mjx-container' ? 'true' : 'block')) return true;
  return IS_BLOCK.test(classOf(element));
}

function classOf(element: Tree.Element): string {
  return (attribute(element, 'class') ?? '').slice(0, 200);
}

function texOfMathMl(math: Tree.Element): string | undefined {
  const annotation = first(
    math,
    (element) => element.tagName === 'annotation' && TEX.test(attribute(element, 'encoding') ?? ''),
  );
  return texOf((annotation && ownText(annotation)) ?? attribute(math, 'alttext') ?? '');
}

function isScript({ tagName, attrs }: Tree.Element): boolean {
  return tagName === 'script' && attrs.some(({ name, value }) => name === 'type' && SCRIPT.test(value));
}

/** Returns TeX in one line, without comments and without the wrapper of MediaWiki. */
function texOf(text: string): string | undefined {
  const lastLine = text.lastIndexOf('\n') + 1;
  const lines = text.slice(0, lastLine).replace(/(?<!\\)%[^\n]*/g, '');
  const tex = (lines + text.slice(lastLine)).replace(/\s+/g, ' ').trim();
  const inner = /^\{\\displaystyle (.*)\}$/.exec(tex)?.[1]?.trim() ?? tex;
  return inner === '' ? undefined : inner;
}

/** Removes the visible forms of formulas, which MathJax 2 has put before its scripts. */
function dropShown(parent: Tree.Element): void {
  if (!parent.childNodes.some((node) => isElement(node) && isScript(node))) return;
  let isFollowed = false;
  const kept = parent.childNodes.toReversed().filter((node) => {
    const isShown = isFollowed && isElement(node) && SHOWN.test(classOf(node));
    isFollowed = isShown || (isElement(node) && isScript(node));
    return !isShown;
  });
  parent.childNodes = kept.reverse();
}

function dropAnnotations(math: Tree.Element): void {
  walkTree(math, {
    enter(element) {
      element.childNodes = element.childNodes.filter(({ nodeName }) => !/^annotation(-xml)?$/.test(nodeName));
      return true;
    },
  });
}

function mathOf(tex: string, isBlock: boolean): Tree.Element {
  const math: Tree.Element = {
    nodeName: 'math',
    tagName: 'math',
    namespaceURI: MATHML,
    attrs: [{ name: TEX_OF_FORMULA, value: tex }, ...(isBlock ? [{ name: 'display', value: 'block' }] : [])],
    childNodes: [],
    parentNode: null,
  };
  math.childNodes.push({ nodeName: '#text', value: tex, parentNode: math });
  return math;
}
