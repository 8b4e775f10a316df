import { groupsOf, type Alternatives, type Item } from './pattern-tree.js';

/** Steps of one search. A search that would need more is given up. */
export const STEP_LIMIT = 500_000;

/** Thrown where a search is given up. */
export class TooManySteps extends Error {}

/** Where a match begins and ends, and then its groups; -1 for a group that took no part. */
export type Match = readonly number[];

/**
 * The first match that begins at `from` or later.
 * @param goesOn the steps of the search before count along
 */
export type CountedSearch = (text: string, from: number, goesOn?: boolean) => Match | null;

/** What goes on from a place in the text; false where it leads to no match. */
type Next = (at: number) => boolean;

/**
 * A search by backtracking as JavaScript defines it, with its steps counted: slower than the platform's, but it ends, and
 * after the same step on every machine. It gives the first match from a place on.
 *
 * Every function that changes the state and then fails puts the state back.
 * @throws TooManySteps from the search
 */
export function countedSearch(pattern: Alternatives, ignoreCase: boolean): CountedSearch {
  let text = '';
  let steps = 0;
  /** Start and end of each group. */
  const spans: number[] = [];
  const groups = groupsOf(pattern);

  const step = (): void => {
    if (++steps > STEP_LIMIT) throw new TooManySteps();
  };
  const canonical = (part: string): string => (ignoreCase ? part.toUpperCase() : part);

  function anyOf(alternatives: Alternatives, next: Next, back: boolean): Next {
    const all = alternatives.map((sequence) =>
      // A look-behind goes from right to left.
      (back ? sequence : [...sequence].reverse()).reduce((after, item) => one(item, after, back), next),
    );
    const tryOne = (go: Next, at: number): boolean => {
      step();
      return go(at);
    };
    return all.length === 1 ? all[0]! : (at) => all.some((go) => tryOne(go, at));
  }

  function one(item: Item, next: Next, back: boolean): Next {
    if (item.kind === 'char') return chars(item, next, back);
    if (item.kind === 'edge') return edge(item.text, next);
    if (item.kind === 'look') return look(item, next);
    const { min, max } = item;
    const turn = (after: Next): Next => (item.kind === 'group' ? group(item, after, back) : same(item, after, back));
    return min === 1 && max === 1 ? turn(next) : repeated(item, turn, next);
  }

  function chars({ text: char, min, max, repeat }: Item, next: Next, back: boolean): Next {
    const has = charTest(char, ignoreCase);
    const by = back ? -1 : 1;
    const fits = (at: number): boolean => {
      step();
      const i = back ? at - 1 : at;
      return i >= 0 && i < text.length && has(text.charCodeAt(i));
    };
    if (min === 1 && max === 1) return (at) => fits(at) && next(at + by);
    const lazy = isLazy(repeat);
    return (at) => {
      let count = 0;
      while (count < (lazy ? min : max) && fits(at + by * count)) count++;
      if (lazy) {
        for (; count >= min && count <= max; count++) {
          if (next(at + by * count)) return true;
          if (!fits(at + by * count)) return false;
        }
        return false;
      }
      for (; count >= min; count--) {
        step();
        if (next(at + by * count)) return true;
      }
      return false;
    };
  }

  function edge(kind: string, next: Next): Next {
    const isWord = (at: number): boolean => /\w/.test(text.charAt(at));
    const between = (at: number): boolean => isWord(at - 1) !== isWord(at);
    if (kind === '^') return (at) => at === 0 && next(at);
    if (kind === '$') return (at) => at === text.length && next(at);
    return kind === '\\b' ? (at) => between(at) && next(at) : (at) => !between(at) && next(at);
  }

  function look(item: Item, next: Next): Next {
    if (item.min === 0) return next;
    const seen = anyOf(item.inside, () => true, item.text.startsWith('(?<'));
    const wanted = item.text.endsWith('=');
    return (at) => {
      const before = spans.slice();
      if (seen(at) === wanted) {
        if (!wanted) restore(before);
        if (next(at)) return true;
      }
      restore(before);
      return false;
    };
  }

  const restore = (before: readonly number[]): void => before.forEach((value, i) => (spans[i] = value));

  function group(item: Item, next: Next, back: boolean): Next {
    if (!item.captures) return anyOf(item.inside, next, back);
    const slot = 2 * groups.indexOf(item);
    let entered = 0;
    const inside = anyOf(
      item.inside,
      (at) => {
        const [start, end] = [spans[slot]!, spans[slot + 1]!];
        spans[slot] = Math.min(entered, at);
        spans[slot + 1] = Math.max(entered, at);
        if (next(at)) return true;
        spans[slot] = start;
        spans[slot + 1] = end;
        return false;
      },
      back,
    );
    return (at) => {
      const outer = entered;
      entered = at;
      if (inside(at)) return true;
      entered = outer;
      return false;
    };
  }

  function same({ text: reference }: Item, next: Next, back: boolean): Next {
    const name = /^\\k<(.*)>$/.exec(reference)?.[1];
    const index =
      name === undefined ? Number(reference.slice(1)) - 1 : groups.findIndex((g) => g.text === `(?<${name}>`);
    return (at) => {
      step();
      const [start = -1, end = -1] = spans.slice(2 * index, 2 * index + 2);
      if (start < 0) return next(at);
      const to = back ? at - (end - start) : at + (end - start);
      const there = to < 0 ? undefined : text.slice(Math.min(at, to), Math.max(at, to));
      steps += end - start;
      return there !== undefined && canonical(there) === canonical(text.slice(start, end)) && next(to);
    };
  }

  function repeated(item: Item, turn: (after: Next) => Next, next: Next): Next {
    const { min, max, repeat } = item;
    const slots = groupsOf([[item]]).flatMap((inner) => [2 * groups.indexOf(inner), 2 * groups.indexOf(inner) + 1]);
    let count = 0;
    let from = -1;

    const again: Next = (at) => {
      if (count >= max) return false;
      const [oldCount, oldFrom, before] = [count, from, slots.map((slot) => spans[slot]!)];
      for (const slot of slots) spans[slot] = -1;
      count++;
      from = at;
      if (once(at)) return true;
      slots.forEach((slot, i) => (spans[slot] = before[i]!));
      [count, from] = [oldCount, oldFrom];
      return false;
    };
    const leave: Next = (at) => {
      const [oldCount, oldFrom] = [count, from];
      if (next(at)) return true;
      [count, from] = [oldCount, oldFrom];
      return false;
    };
    const decide: Next = (at) => {
      step();
      if (count < min) return again(at);
      return isLazy(repeat) ? leave(at) || again(at) : again(at) || leave(at);
    };
    // A turn that is not needed and takes nothing does not count.
    const once = turn((at) => !(at === from && count > min) && decide(at));
    return (at) => {
      const [oldCount, oldFrom] = [count, from];
      [count, from] = [0, -1];
      if (decide(at)) return true;
      [count, from] = [oldCount, oldFrom];
      return false;
    };
  }

  let end = 0;
  const start = anyOf(pattern, (at) => ((end = at), true), false);
  // What begins with anything is found where the search begins, or nowhere; texts have no line breaks.
  const anywhere = pattern.every(([first]) => first?.text === '.' && first.repeat === '*');
  return (given, from, goesOn = false) => {
    text = given;
    if (!goesOn) steps = 0;
    const last = anywhere && !/[\n\r\u2028\u2029]/.test(text) ? from : text.length;
    for (let at = from; at <= last; at++) {
      spans.length = 0;
      for (let i = 0; i < 2 * groups.length; i++) spans.push(-1);
      if (start(at)) return [at, end, ...spans];
    }
    return null;
  };
}

const isLazy = (repeat: string): boolean => repeat.length > 1 && repeat.endsWith('?');

function charTest(char: string, ignoreCase: boolean): (code: number) => boolean {
  const pattern = new RegExp(`^(?:${char})$`, ignoreCase ? 'i' : '');
  const ascii = Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
  return (code) => ascii[code] ?? pattern.test(String.fromCharCode(code));
}
