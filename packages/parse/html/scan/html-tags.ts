import { decodeHTMLAttribute } from 'entities';
import { lowerCase } from './html-elements.js';

/** An attribute as the tree has it. */
export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** Names of the attributes that the visitor wants to know. */
const WANTED: ReadonlySet<string> = new Set(
  'action alt charset content href hreflang http-equiv lang method name property rel src srcdoc srcset type xml:lang'.split(
    ' ',
  ),
);
const [TAB, NEWLINE, FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0c, 0x0d, 0x20];
const [BANG, QUOTE, APOSTROPHE, SLASH, EQUALS, GREATER, QUESTION] = [0x21, 0x22, 0x27, 0x2f, 0x3d, 0x3e, 0x3f];

/** Where the name of a tag ends that begins at this letter; tags are read by the HTML Standard, section 13.2.5. */
export function nameEnd(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  return end;
}

/**
 * Reads a tag from the end of its name on.
 * @param attrs takes the attributes that the visitor wants, of several of one name the first; none are kept without it
 * @returns where the text goes on; beyond its end where it ends within the tag
 */
export function readAttributes(text: string, from: number, attrs?: Attribute[]): number {
  if (text.charCodeAt(from) === GREATER) return from + 1;
  const { length } = text;
  const beyond = length + 1;
  let at = from;
  for (;;) {
    while (at < length && (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === SLASH)) at++;
    if (at >= length) return beyond;
    if (text.charCodeAt(at) === GREATER) return at + 1;
    const nameStart = at++;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break;
    }
    const end = at;
    while (at < length && isSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) !== EQUALS) {
      if (attrs) add(attrs, text.slice(nameStart, end), '');
      continue;
    }
    at++;
    while (at < length && isSpace(text.charCodeAt(at))) at++;
    if (at >= length) return beyond;
    const quote = text.charCodeAt(at);
    let valueStart = at;
    if (quote === QUOTE || quote === APOSTROPHE) {
      valueStart++;
      at = text.indexOf(quote === QUOTE ? '"' : "'", valueStart);
      if (at < 0) return beyond;
      if (attrs) add(attrs, text.slice(nameStart, end), text.slice(valueStart, at));
      at++;
      continue;
    }
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === GREATER || isSpace(code)) break;
    }
    if (attrs) add(attrs, text.slice(nameStart, end), text.slice(valueStart, at));
  }
}

function add(attrs: Attribute[], rawName: string, rawValue: string): void {
  const name = WANTED.has(rawName) ? rawName : lowerCase(rawName);
  if (!WANTED.has(name)) return;
  for (const attr of attrs) if (attr.name === name) return;
  attrs.push({ name, value: valueOf(rawValue) });
}

function valueOf(raw: string): string {
  const value = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
}

/** Whether the tag that begins here is of this name, in lower case, and has no more to it. */
export function tagEndsAt(text: string, name: string, at: number): boolean {
  return text.charCodeAt(at + name.length) === GREATER && text.startsWith(name, at);
}

/** White space of the HTML Standard. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === TAB || code === RETURN || code === FEED;
}

/** An ASCII letter. */
export function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** The place of the next `<` that is not text; the length of the text where there is none. */
export function nextMarkup(text: string, from: number): number {
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (isLetter(next) || next === BANG || next === QUESTION || (next === SLASH && at + 2 < text.length)) return at;
  }
  return text.length;
}

/** Where something ends that begins at this `<` and is no tag: a comment, a doctype, or what counts as a comment. */
export function markupEnd(text: string, at: number): number {
  if (!text.startsWith('<!--', at)) return after(text, '>', at + 2);
  if (text.startsWith('>', at + 4)) return at + 5;
  if (text.startsWith('->', at + 4)) return at + 6;
  for (let end = text.indexOf('--', at + 4); end >= 0; end = text.indexOf('--', end + 1)) {
    if (text.startsWith('>', end + 2)) return end + 3;
    if (text.startsWith('!>', end + 2)) return end + 4;
  }
  return text.length;
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

/**
 * Where the text of an element ends in which no tag but its own end counts: `script`, `title`, ….
 * @returns the place of that end tag; the length of the text where there is none
 */
export function rawTextEnd(text: string, name: string, from: number): number {
  for (let at = text.indexOf('</', from); at >= 0; at = text.indexOf('</', at + 2)) {
    const end = at + 2 + name.length;
    const code = text.charCodeAt(end);
    if (code !== GREATER && code !== SLASH && !isSpace(code)) continue;
    if (lowerCase(text.slice(at + 2, end)) === name) return at;
  }
  return text.length;
}
