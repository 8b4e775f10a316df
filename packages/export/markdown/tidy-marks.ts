import type { Inline, Marked } from './blocks.js';

const LETTER = /^[^\s\p{P}\p{S}]$/u;
/** What may be a letter for a mark beside it. Older versions of CommonMark, such as that of GitHub, take symbols beyond ASCII for letters. */
const LETTER_BESIDE = /^[^\s\p{P}$+<=>^`|~]$/u;
const SPACE = /^\s$/;

/** Characters that cannot be at an edge of a mark. */
type Outside = 'spaces' | 'punctuation';

/**
 * Moves marks to where Markdown allows them. The text in `**bold**` must not end with a space. Before a letter it must not end with
 * punctuation, either. Spaces and punctuation at such an edge are moved outside. If that is not possible, the mark is removed.
 */
export function tidyMarks(nodes: readonly Inline[]): Inline[] {
  const tidied: Inline[] = [];
  nodes.forEach((node, i) => {
    if (!('children' in node)) return append(tidied, node);
    node.children = tidyMarks(node.children);
    if (node.type === 'strong' || node.type === 'emphasis' || node.type === 'delete') {
      for (const part of parted(node, edgeOf(tidied.at(-1), 'end'), edgeOf(nodes[i + 1], 'start')))
        append(tidied, part);
    } else if (node.children.length > 0) tidied.push(node);
  });
  return tidied;
}

function append(nodes: Inline[], node: Inline): void {
  const last = nodes.at(-1);
  if (node.type === 'text' && last?.type === 'text') last.value += node.value;
  else if (node.type !== 'text' || node.value !== '') nodes.push(node);
}

/**
 * Splits a mark into nodes before it, the mark itself, and nodes after it. Line breaks at the edges of the mark are moved out, because
 * Markdown would show their backslash. If Markdown does not allow the mark, only the content of the mark is returned.
 */
function parted(node: Marked, before: string, after: string): Inline[] {
  const inner = [...node.children];
  const lead = cutEdge(inner, 'start', LETTER_BESIDE.test(before) ? 'punctuation' : 'spaces');
  const trail = cutEdge(inner, 'end', LETTER_BESIDE.test(after) ? 'punctuation' : 'spaces');
  if (inner.length === 0 || lead.isStuck || trail.isStuck) return [...lead.nodes, ...inner, ...trail.nodes];
  node.children = inner;
  return [...lead.nodes, node, ...trail.nodes];
}

/**
 * Moves spaces or punctuation at an edge of a mark out of its content. `isStuck` means that this is impossible: the edge is a node other
 * than text, next to a letter.
 */
function cutEdge(inner: Inline[], edge: 'start' | 'end', outside: Outside): { nodes: Inline[]; isStuck: boolean } {
  const isStart = edge === 'start';
  const nodes: Inline[] = [];
  let what = outside;
  let gone = 0;
  const next = (): Inline | undefined => inner.at(isStart ? gone : -1 - gone);
  let child = next();
  for (; child && (child.type === 'text' || child.type === 'break'); child = next()) {
    if (child.type === 'break') nodes.push(child);
    else {
      const { value } = child;
      const at = isStart ? leading(value, what) : trailing(value, what);
      const [out, stays] = isStart ? [value.slice(0, at), value.slice(at)] : [value.slice(at), value.slice(0, at)];
      if (out !== '') nodes.push({ type: 'text', value: out });
      child.value = stays;
      if (stays !== '') break;
    }
    gone += 1;
    what = 'spaces';
  }
  inner.splice(isStart ? 0 : inner.length - gone, gone);
  const isStuck = child !== undefined && child.type !== 'text' && what === 'punctuation';
  return { nodes: isStart ? nodes : nodes.reverse(), isStuck };
}

function goes(character: string, what: Outside): boolean {
  return what === 'spaces' ? SPACE.test(character) : !LETTER.test(character);
}

function leading(text: string, what: Outside): number {
  let at = 0;
  for (const character of text) {
    if (!goes(character, what)) break;
    at += character.length;
  }
  return at;
}

function trailing(text: string, what: Outside): number {
  let at = text.length;
  while (at > 0) {
    const character = lastOf(text.slice(Math.max(0, at - 2), at));
    if (!goes(character, what)) break;
    at -= character.length;
  }
  return at;
}

/** Returns the character at an edge of a node, as Markdown shows it. Empty if there is no text at this edge. */
function edgeOf(node: Inline | undefined, edge: 'start' | 'end'): string {
  // The Markdown of GitHub looks through `~~` at the character behind it.
  if (node?.type === 'delete') return edgeOf(node.children.at(edge === 'end' ? -1 : 0), edge);
  if (node?.type !== 'text') return '';
  return edge === 'end' ? lastOf(node.value) : String.fromCodePoint(node.value.codePointAt(0) ?? 32);
}

function lastOf(text: string): string {
  const two = text.slice(-2);
  return two.length === 2 && two.codePointAt(0)! > 0xffff ? two : text.slice(-1);
}
