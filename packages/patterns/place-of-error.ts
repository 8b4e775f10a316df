/** As the patterns of JavaScript are read without the flags `u` and `v`: an escape, a bracket, any other character. */
const TOKEN = /\\[^]|[^]/gy;

/**
 * At which character a regular expression that JavaScript refuses is wrong, from 0 on: where it cannot be brought to a good end any
 * more, or else what was opened last and not closed.
 */
export function placeOfError(source: string): number {
  /** Places of the groups that are open. */
  const open: number[] = [];
  let inClass = -1;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < source.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(source)?.[0] ?? source[at]!;
    if (inClass >= 0) {
      if (token === ']') inClass = -1;
    } else if (token === '[') inClass = at;
    else if (token === '(') open.push(at);
    else if (token === ')') open.pop();
    const isHead = inClass < 0 && /\((?:\?(?:<[^>=!]*|<)?)?$/.test(source.slice(0, TOKEN.lastIndex));
    const end = `${inClass >= 0 ? ']' : ''}${')'.repeat(open.length)}`;
    // The head of a group is whole a few characters later.
    if (!isHead && !isPattern(source.slice(0, TOKEN.lastIndex) + end)) return at;
  }
  return inClass >= 0 ? inClass : (open.at(-1) ?? Math.max(0, source.length - 1));
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source);
    return true;
  } catch {
    return false;
  }
}
