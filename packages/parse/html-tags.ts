import { decodeHTMLAttribute } from 'entities';

/** A tag as it stands in the text. */
export interface Tag {
  /** In lower case. */
  readonly name: string;
  /** Of several of one name, the first. Empty where nobody asked for them. */
  readonly attrs: Attribute[];
  /** Where the text goes on; beyond its end where it ends within the tag. */
  readonly end: number;
}

export interface Attribute {
  readonly name: string;
  readonly value: string;
}

const NO_ATTRIBUTES: Attribute[] = [];
/** Attributes of a tag up to which it is quicker to look through them than to keep a set of their names. */
const FEW = 16;
const [TAB, NEWLINE, FEED, RETURN, SPACE] = [0x09, 0x0a, 0x0c, 0x0d, 0x20];
const [BANG, QUOTE, APOSTROPHE, SLASH, EQUALS, GREATER, QUESTION] = [0x21, 0x22, 0x27, 0x2f, 0x3d, 0x3e, 0x3f];

/**
 * Reads a tag by the tokenizer of the HTML Standard, section 13.2.5.
 * @param at of the first letter of its name
 * @param wanted names of elements whose attributes are asked for
 */
export function readTag(text: string, at: number, wanted?: ReadonlySet<string>): Tag {
  let end = at;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === GREATER || code === SLASH || isSpace(code)) break;
  }
  const name = lowerCase(text.slice(at, end));
  if (text.charCodeAt(end) === GREATER) return { name, attrs: NO_ATTRIBUTES, end: end + 1 };
  const attrs = wanted?.has(name) ? [] : undefined;
  return { name, end: readAttributes(text, end, attrs), attrs: attrs ?? NO_ATTRIBUTES };
}

/** Reads up to the end of the tag, and returns where the text goes on. */
function readAttributes(text: string, from: number, attrs: Attribute[] | undefined): number {
  const { length } = text;
  const beyond = length + 1;
  let at = from;
  const add = attrs && adderTo(attrs);
  for (;;) {
    while (at < length && (isSpace(text.charCodeAt(at)) || text.charCodeAt(at) === SLASH)) at++;
    if (at >= length) return beyond;
    if (text.charCodeAt(at) === GREATER) return at + 1;
    const nameStart = at++;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === EQUALS || code === GREATER || code === SLASH || isSpace(code)) break;
    }
    const nameEnd = at;
    while (at < length && isSpace(text.charCodeAt(at))) at++;
    if (text.charCodeAt(at) !== EQUALS) {
      add?.(text.slice(nameStart, nameEnd), '');
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
      add?.(text.slice(nameStart, nameEnd), text.slice(valueStart, at));
      at++;
      continue;
    }
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code === GREATER || isSpace(code)) break;
    }
    add?.(text.slice(nameStart, nameEnd), text.slice(valueStart, at));
  }
}

/** Of two attributes of one name it takes the first. */
function adderTo(attrs: Attribute[]): (rawName: string, rawValue: string) => void {
  let names: Set<string> | undefined;
  return (rawName, rawValue) => {
    const name = lowerCase(rawName);
    if (attrs.length > FEW) names ??= new Set(attrs.map((attr) => attr.name));
    if (names ? names.has(name) : attrs.some((attr) => attr.name === name)) return;
    names?.add(name);
    attrs.push({ name, value: valueOf(rawValue) });
  };
}

function valueOf(raw: string): string {
  const value = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw;
  return value.includes('&') ? decodeHTMLAttribute(value) : value;
}

/** White space of the HTML Standard. */
export function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === TAB || code === RETURN || code === FEED;
}

/** ASCII letters only. */
function lowerCase(name: string): string {
  return /[A-Z]/.test(name) ? name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : name;
}

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
