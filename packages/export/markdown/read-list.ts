import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import { attribute, isCheckbox, isElement } from '../../core/index.js';
import type { Block, Inline, Item, List } from './blocks.js';
import type { BlockReader } from './read-blocks.js';

/** Deeper lists and quotations are replaced by their content, because each level indents all its lines. */
export const MAX_NESTING = 12;

interface ListItem {
  readonly number: number;
  readonly blocks: Block[];
  readonly checked?: boolean | undefined;
}

/** A longer list is split, because the Markdown writer searches all items to find the number of one item. */
const MAX_ITEMS = 2000;
const MAX_ITEM_NUMBER = 999_999_999;

/**
 * Reads a list. A list whose items contain headings is only layout: it is replaced by its content, with the numbers of the items. A list
 * that is nested too deep is replaced too.
 */
export function readList(reader: BlockReader, list: Tree.Element): void {
  if (reader.isFlat) return reader.readApart(list);
  const isOrdered = list.tagName === 'ol';
  const items = itemsOf(reader, list, isOrdered).filter(({ blocks }) => blocks.length > 0);
  const isLayout =
    reader.nested >= MAX_NESTING ||
    items.some(
      ({ number, blocks }) => number < 0 || number > MAX_ITEM_NUMBER || blocks.some(({ type }) => type === 'heading'),
    );
  if (!isLayout) return listsOf(items, isOrdered).forEach((each) => reader.add(each));
  for (const { number, blocks } of items) {
    reader.part();
    for (const block of isOrdered ? numbered(number, blocks) : blocks) reader.add(block);
  }
}

function itemsOf(reader: BlockReader, list: Tree.Element, isOrdered: boolean): ListItem[] {
  reader.part();
  const elements = list.childNodes.filter((node) => isElement(node) && node.tagName === 'li').length;
  const step = isOrdered && attribute(list, 'reversed') !== undefined ? -1 : 1;
  let number = numberOf(list, 'start') ?? (step === -1 ? elements : 1);
  const items: ListItem[] = [];
  for (const child of list.childNodes) {
    if (isElement(child) && child.tagName === 'li') {
      number = (isOrdered ? numberOf(child, 'value') : undefined) ?? number;
      items.push({ number, blocks: reader.blocksIn(child), checked: checkedOf(child) });
      number += step;
      continue;
    }
    // A list directly in a list, without an item around it, belongs to the item before.
    const blocks = reader.blocksIn(child, false);
    if (blocks.length === 0) continue;
    const last = items.at(-1);
    if (last) for (const block of blocks) last.blocks.push(block);
    else items.push({ number: number - step, blocks });
  }
  return items;
}

/** Whether the task of an item is done. An item is a task if it begins with a checkbox. Undefined: it is no task. */
function checkedOf(item: Tree.Element): boolean | undefined {
  let first: Tree.ChildNode | undefined = item;
  while (first && isElement(first) && !isCheckbox(first)) {
    first = first.childNodes.find((node) => node.nodeName !== '#text' || /\S/.test((node as Tree.TextNode).value));
  }
  return first && isElement(first) ? attribute(first, 'checked') !== undefined : undefined;
}

function numberOf(element: Tree.Element, name: string): number | undefined {
  const number = Number.parseInt(attribute(element, name) ?? '', 10);
  return Number.isNaN(number) ? undefined : number;
}

/** Makes one list for each run of consecutive numbers. */
function listsOf(items: readonly ListItem[], ordered: boolean): List[] {
  const runs: ListItem[][] = [];
  for (const item of items) {
    const run = runs.at(-1);
    const follows = run && (!ordered || run.at(-1)!.number + 1 === item.number);
    if (follows && run.length < MAX_ITEMS) run.push(item);
    else runs.push([item]);
  }
  return runs.map((run) => {
    const children = run.map(({ blocks, checked }): Item => {
      const isTask = checked !== undefined && blocks[0]?.type === 'paragraph';
      return { type: 'listItem', ...(isTask && { checked }), spread: isSpread(blocks), children: blocks };
    });
    const spread = children.some((item) => item.spread);
    return { type: 'list', ordered, start: ordered ? run[0]!.number : null, spread, children };
  });
}

/** Whether the blocks of an item are separated by blank lines. They are not if the item is text followed by lists. */
function isSpread([, ...others]: readonly Block[]): boolean {
  return others.some(({ type }) => type !== 'list' && type !== 'code');
}

function numbered(number: number, blocks: readonly Block[]): readonly Block[] {
  const [head, ...others] = blocks;
  const text: Inline = { type: 'text', value: `${number}. ` };
  if (head?.type === 'paragraph' || head?.type === 'heading') {
    const [first, ...more] = head.children;
    const children: Inline[] =
      first?.type === 'text' ? [{ ...text, value: text.value + first.value }, ...more] : [text, ...head.children];
    return [{ ...head, children }, ...others];
  }
  return [{ type: 'paragraph', children: [{ ...text, value: `${number}.` }] }, ...blocks];
}
