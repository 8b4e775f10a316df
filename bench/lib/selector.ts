import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

type Test = (element: Tree.Element) => boolean;

/** A test for a part of CSS selectors: tag names, `#id`, `.class` and `[name=value]`, combined by `>`, `+` and commas. */
export function selector(list: string): Test {
  const tests = list.split(',').map((one) => complexTest(one.trim()));
  return (element) => tests.some((test) => test(element));
}

function complexTest(source: string): Test {
  const [, before, combinator, last = source] = /^(.*\S)\s*([>+])\s*(\S+)$/.exec(source) ?? [];
  const test = compoundTest(last);
  if (before === undefined) return test;
  const testBefore = complexTest(before);
  const other = combinator === '>' ? parentOf : previousOf;
  return (element) => {
    const near = test(element) ? other(element) : undefined;
    return near !== undefined && testBefore(near);
  };
}

function compoundTest(source: string): Test {
  const simple = source.match(/[\w-]+|[#.][\w-]+|\[[\w-]+=[^\]]*\]/g) ?? [];
  if (simple.join('') !== source || source === '') throw new Error(`expected a simple selector, found "${source}"`);
  const tests = simple.map(simpleTest);
  return (element) => tests.every((test) => test(element));
}

function simpleTest(source: string): Test {
  const name = source.slice(1);
  if (source.startsWith('#')) return (element) => attribute(element, 'id') === name;
  if (source.startsWith('.')) return (element) => (attribute(element, 'class') ?? '').split(/\s+/).includes(name);
  if (!source.startsWith('[')) return ({ tagName }) => tagName === source;
  const [key = '', value] = name.slice(0, -1).split('=');
  return (element) => attribute(element, key) === value;
}

function attribute({ attrs }: Tree.Element, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value;
}

function parentOf({ parentNode }: Tree.Element): Tree.Element | undefined {
  return parentNode && 'tagName' in parentNode ? parentNode : undefined;
}

function previousOf(element: Tree.Element): Tree.Element | undefined {
  const siblings = element.parentNode?.childNodes.filter((node) => 'tagName' in node) ?? [];
  return siblings[siblings.indexOf(element) - 1];
}
