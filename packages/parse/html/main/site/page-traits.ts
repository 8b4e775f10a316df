import { besideByNames } from '../by-names.js';
import { attribute } from '../../html-tree.js';
import { isHeading, type Part } from '../outline.js';
import { AROUND_BITS, type Page } from '../page.js';

export interface PartTraits {
  /** The index of the element around it. -1: the element is the body. */
  readonly parent: number;
  readonly tagName: string;
  /** The class names, without names that contain a number. */
  readonly classes: readonly string[];
}

export interface BlockTraits {
  readonly part: number;
  /** A hash of the text, and of the names of the elements around it. */
  readonly hash: number;
  readonly length: number;
  readonly code: number;
  /** The chance that the block belongs to the main content, as a logit. */
  readonly logit: number;
  /** Whether the block is prose that only the model may refuse: no heading, no caption, not hidden, not beside the content by names. */
  readonly isProse: boolean;
}

/** What a page shows about the template of its site. It has no text. */
export interface PageTraits {
  /** Whether the page alone is read as part of a manual. */
  readonly isManual: boolean;
  readonly parts: readonly PartTraits[];
  readonly blocks: readonly BlockTraits[];
}

/** Number of elements around a block whose names are part of its hash. */
const HASHED_ANCESTORS = 6;
/** Maximum number of class names of an element, and maximum length of a name. */
const MAX_CLASSES = 20;
const MAX_CLASS_LENGTH = 100;
/** Logits are within about ±6, so that one sure block does not outweigh many others. */
const SOFTENED = 0.003;
const CAPTION_LEVELS = 3;

const HIDDEN = AROUND_BITS.get('hidden')!;

export function traitsOf(page: Page, chances: Float64Array, isManual: boolean): PageTraits {
  const beside = besideByNames(page);
  return {
    isManual,
    parts: page.parts.map((part) => ({
      parent: part.parent?.index ?? -1,
      tagName: part.tagName,
      classes: classesOf(part),
    })),
    blocks: page.blocks.map((block, i) => {
      const { part, length, code } = block;
      const isAside = beside[i]! || (page.around[part.index]! & HIDDEN) !== 0;
      return {
        part: part.index,
        hash: placedHash(block.hash, part),
        length,
        code,
        logit: logitOf(chances[i]!),
        isProse: block.isProse && !isAside && !isHeading(block) && !isCaption(part),
      };
    }),
  };
}

export function logitOf(chance: number): number {
  return Math.log((chance + SOFTENED) / (1 - chance + SOFTENED));
}

function classesOf({ element }: Part): string[] {
  const names = attribute(element, 'class')?.split(/\s+/, MAX_CLASSES) ?? [];
  return names.filter((name) => name !== '' && name.length <= MAX_CLASS_LENGTH && !/\d{3}/.test(name));
}

function placedHash(text: number, part: Part): number {
  let hash = text;
  let up: Part | undefined = part;
  for (let level = 0; up && level < HASHED_ANCESTORS; level++, up = up.parent) hash = hashedWith(hash, up.tagName);
  return hash;
}

export function hashedWith(hash: number, name: string): number {
  let hashed = Math.imul(hash ^ 0x9e3779b1, 31);
  for (let i = 0; i < name.length; i++) hashed = (Math.imul(hashed, 31) + name.charCodeAt(i)) | 0;
  return hashed ^ (hashed >>> 15);
}

function isCaption(part: Part): boolean {
  let up: Part | undefined = part;
  for (let level = 0; up && level <= CAPTION_LEVELS; level++, up = up.parent) {
    if (up.tagName === 'figcaption' || up.tagName === 'caption') return true;
    if (/(^|[\s-])caption/.test((attribute(up.element, 'class') ?? '').slice(0, MAX_CLASS_LENGTH))) return true;
  }
  return false;
}
