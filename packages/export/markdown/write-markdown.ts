import type { defaultHandlers as Defaults, Options } from 'mdast-util-to-markdown';
import { optionalPackage } from '../../errors/index.js';
import type { Block } from './blocks.js';

/** Writes blocks as Markdown: CommonMark with the tables, strikethrough and task lists of GitHub, and formulas in `$`. */
export type WriteMarkdown = (blocks: readonly Block[]) => string;

type Handlers = typeof Defaults;

const PACKAGES = 'mdast-util-to-markdown mdast-util-gfm-table mdast-util-gfm-strikethrough mdast-util-math';

/** @throws CrawlError MISSING_PACKAGE if a package is missing. The hint is the command that installs the packages */
export async function loadMarkdown(): Promise<WriteMarkdown> {
  const [{ defaultHandlers, toMarkdown }, { gfmTableToMarkdown }, { gfmStrikethroughToMarkdown }, { mathToMarkdown }] =
    await optionalPackage(PACKAGES, 'Markdown', () =>
      Promise.all([
        import('mdast-util-to-markdown'),
        import('mdast-util-gfm-table'),
        import('mdast-util-gfm-strikethrough'),
        import('mdast-util-math'),
      ]),
    );
  const text = (...[node, parent, state, info]: Parameters<Handlers['text']>): string =>
    isPlain(node.value, info) ? node.value : defaultHandlers.text(node, parent, state, info);
  const lineBreak = (...[node, parent, state, info]: Parameters<Handlers['break']>): string =>
    state.stack.includes('tableCell') ? '<br>' : defaultHandlers.break(node, parent, state, info);
  const listItem = (...[node, parent, state, info]: Parameters<Handlers['listItem']>): string => {
    const text = defaultHandlers.listItem(node, parent, state, info);
    return node.checked == null ? text : text.replace(/^\S+ /, `$&[${node.checked ? 'x' : ' '}] `);
  };
  const math = mathToMarkdown();
  const options: Options = {
    // Cells are not padded to the width of their column: the padding could be longer than the rest of the table.
    extensions: [gfmTableToMarkdown({ tablePipeAlign: false }), gfmStrikethroughToMarkdown(), math],
    handlers: {
      text: Object.assign(text, { peek: (node: { readonly value: string }) => node.value.charAt(0) }),
      break: lineBreak,
      listItem,
      sup: raised('sup'),
      sub: raised('sub'),
      math: formula(math.handlers!['math']!),
      inlineMath: formula(math.handlers!['inlineMath']!),
    } as Options['handlers'],
  };
  // Only the line break at the end is removed: without the space in `\u00a0- a` or `a #\u00a0`, the text would have another meaning.
  return (blocks) =>
    toMarkdown({ type: 'root', children: blocks } as Parameters<typeof toMarkdown>[0], options).replace(/\n$/, '');
}

/** Matches text in which no character has a meaning in Markdown, neither at the start of a line nor later. */
const PLAIN = /^[^\s!(*_`<[\]\\&$~|#][^*_`<[\]\\&$~|#\t\r\n]*$/;
const PLAIN_START = /^\p{L}/u;

function isPlain(value: string, { before, after }: { readonly before: string; readonly after: string }): boolean {
  if (!PLAIN.test(value)) return false;
  if (/[\r\n]$/.test(before) && !PLAIN_START.test(value)) return false;
  return !(value.endsWith('!') && after.startsWith('[')) && !(value.endsWith(' ') && /^[\r\n]/.test(after));
}

/** Writes a formula with {@link inertTex}, because not every renderer knows `$`. */
function formula(handle: Handlers['paragraph']): Handlers['paragraph'] {
  const inert: Handlers['paragraph'] = (node, parent, state, info) => {
    const { value } = node as unknown as { readonly value: string };
    return handle({ ...node, value: inertTex(value) } as typeof node, parent, state, info);
  };
  return Object.assign(inert, { peek: () => '$' });
}

/**
 * Returns TeX in which Markdown without formulas finds no HTML, link, definition or code. Between these characters, TeX ignores a space.
 * A backtick is a left quotation mark in TeX.
 */
function inertTex(tex: string): string {
  return tex
    .replace(/\s+/g, ' ')
    .replace(/<(?=[a-z/!?])|\](?=[([:])|~(?=~)/gi, '$& ')
    .replaceAll('`', '‘');
}

/** Markdown has no raised or lowered text, so the HTML tags are written. */
function raised(tag: 'sup' | 'sub'): Handlers['paragraph'] {
  const handle: Handlers['paragraph'] = (node, _, state, info) => {
    const tracker = state.createTracker(info);
    const open = tracker.move(`<${tag}>`);
    const inner = tracker.move(state.containerPhrasing(node, { ...tracker.current(), before: '>', after: '<' }));
    return open + inner + tracker.move(`</${tag}>`);
  };
  return Object.assign(handle, { peek: () => '<' });
}
