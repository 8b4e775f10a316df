export type Alternatives = readonly (readonly Item[])[];

export interface Item {
  readonly kind: 'char' | 'edge' | 'group' | 'look' | 'backreference';
  readonly text: string;
  /** The repeat as written; empty if there is none. */
  readonly repeat: string;
  readonly min: number;
  /** Infinity if there is no limit. */
  readonly max: number;
  /** The content of a group or a look-around. For other items it is empty. */
  readonly inside: Alternatives;
  readonly captures: boolean;
}

const TOKEN =
  /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|c[a-z]|k<[^>]*>|[1-9]\d*|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[^]/giy;
const REPEAT = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y;

/** Parses a pattern that RegExp has accepted. The pattern has no flags `u` or `v`, and its groups have no flags. */
export function parsePattern(source: string): Alternatives {
  let at = 0;

  function alternatives(): Alternatives {
    const all: Item[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] !== '|') all.at(-1)!.push(item());
      else if (++at) all.push([]);
    }
    return all;
  }

  function item(): Item {
    TOKEN.lastIndex = at;
    const text = TOKEN.exec(source)![0];
    at += text.length;
    let inside: Alternatives = [];
    if (text.startsWith('(')) {
      inside = alternatives();
      at++;
    }
    return { kind: kindOf(text), text, inside, captures: /^\((?:$|\?<[^=!])/.test(text), ...repeat() };
  }

  function repeat(): Pick<Item, 'repeat' | 'min' | 'max'> {
    REPEAT.lastIndex = at;
    const match = REPEAT.exec(source);
    if (!match) return { repeat: '', min: 1, max: 1 };
    at += match[0].length;
    const [repeat, sign, least = '', comma, most = ''] = match;
    if (sign === undefined) {
      const min = Number(least);
      return { repeat, min, max: most !== '' ? Number(most) : comma ? Infinity : min };
    }
    return { repeat, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  }

  return alternatives();
}

function kindOf(text: string): Item['kind'] {
  if (/^\(\?<?[=!]/.test(text)) return 'look';
  if (text.startsWith('(')) return 'group';
  if (/^(?:\^|\$|\\[bB])$/.test(text)) return 'edge';
  return /^\\(?:k|[1-9])/.test(text) ? 'backreference' : 'char';
}

/**
 * Whether only a backtracking search can run a pattern, because the pattern has look-ahead, back-references, or look-behind with
 * captures.
 */
export function needsBacktracking(pattern: Alternatives): boolean {
  return pattern.flat().some(({ kind, text, inside, max }) => {
    if (kind === 'backreference' || text === '(?=' || text === '(?!') return true;
    if (kind === 'look' && (max !== 1 || groupsIn(inside) > 0)) return true;
    return needsBacktracking(inside);
  });
}

/**
 * Whether JavaScript may choose another match, or other groups of a match, than RE2. This is so for two kinds of repeated groups. If the
 * group contains a capturing group, each repetition forgets the captures of the repetition before. If the group may match nothing, a
 * repetition that matches nothing does not count.
 */
export function repeatsPeculiarly(pattern: Alternatives): boolean {
  return pattern.flat().some(({ kind, inside, repeat, max }) => {
    if (kind === 'group' && repeat !== '' && (shortest(inside) === 0 || (max > 1 && groupsIn(inside) > 0))) return true;
    return repeatsPeculiarly(inside);
  });
}

/** Minimum number of characters of a match. */
function shortest(pattern: Alternatives): number {
  const lengthOf = ({ kind, inside, min }: Item): number => {
    if (kind === 'char') return min;
    return kind === 'group' ? min * shortest(inside) : 0;
  };
  return Math.min(...pattern.map((sequence) => sequence.reduce((sum, item) => sum + lengthOf(item), 0)));
}

export function groupsIn(pattern: Alternatives): number {
  return pattern.flat().reduce((sum, { captures, inside }) => sum + (captures ? 1 : 0) + groupsIn(inside), 0);
}
