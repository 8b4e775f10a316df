import type { Block } from '../../export/index.js';

/** Matches a paragraph: at least 400 characters up to the end of a sentence; else at most 1,200, if possible up to a blank. */
const PARAGRAPH = /.{400,1200}?(?:[.!?]\s|[。！？])|.{1,1200}(?=\s|$)|.{1,1200}/gsu;

/**
 * Splits a text into paragraphs for reading: at its line breaks, and between sentences of a long line. This is needed because the stored
 * text does not have the paragraphs of the page.
 */
export function paragraphsOf(text: string): readonly Block[] {
  const parts = text.split(/\s*\n\s*/).flatMap((line) => line.match(PARAGRAPH) ?? []);
  const lines = parts.map((part) => part.trim()).filter((part) => part !== '');
  return lines.map((value) => ({ type: 'paragraph', children: [{ type: 'text', value }] }));
}
