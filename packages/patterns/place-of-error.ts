/** The tokens of a JavaScript pattern without the flags `u` and `v`: an escape, or any other character. */
const TOKEN = /\\[^]|[^]/gy;

/**
 * Returns the position, from 0 on, at which JavaScript finds an error in a regular expression. Whatever text follows this position, the
 * expression stays invalid. If only closing brackets are missing, it returns the position of the last open bracket.
 */
export function placeOfError(source: string): number {
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
    // The head of a group has several characters. So the text may be invalid within the head, and become valid after it.
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
