import type { Parameter } from '../../core/index.js';

export function withoutQuery(path: string): string {
  const mark = path.indexOf('?');
  return mark < 0 ? path : path.slice(0, mark);
}

export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Matches everything before the path. Any scheme and port match, because the scope of the rule already names the host. */
export const ANY_ORIGIN = '^https?://[^/]+';

/** Returns a pattern that matches exactly the URLs with a parameter, at any position. The pattern runs in linear time. */
export function patternOf({ place, name }: Parameter): string {
  if (place === 'path') return `^[^?]*;${literal(name)}(?:[=;/?]|$)`;
  const before = '^[^?]*\\?(?:.*[&;])?';
  return place === 'query' ? `${before}${literal(name)}(?:[=&;]|$)` : `${before}${literal(name)}(?:\\[|%5[Bb])`;
}

export function shownParameter({ place, name }: Parameter): string {
  return place === 'path' ? `;${name}` : place === 'query' ? name : `${name}[…]`;
}
