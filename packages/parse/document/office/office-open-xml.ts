import { rootName } from '../../xml/xml-reader.js';
import type { PackageParts } from './package-parts.js';
import { readPart, readText, type Attributes, type Collector, type TextRules } from './part-reader.js';
import { externalOf, partsOf, relationsOf } from './relations.js';
import { readWorkbook } from './workbook.js';

export interface OfficeOpenXml {
  readonly main: string;
  readonly properties: string | undefined;
}

/** Finds the main parts of a package. Undefined: the package is not Office Open XML. */
export function findOfficeOpenXml(parts: PackageParts, into: Collector): OfficeOpenXml | undefined {
  const relations = relationsOf(parts, '', into);
  const [main] = partsOf(relations, 'officeDocument');
  return main === undefined ? undefined : { main, properties: partsOf(relations, 'core-properties')[0] };
}

/** Reads a document of Word, PowerPoint or Excel. @returns false if the document is of another kind, or the main part is missing */
export function readOfficeOpenXml(parts: PackageParts, main: string, into: Collector): boolean {
  const xml = parts.read(main);
  switch (xml === undefined ? undefined : rootName(xml, () => false)) {
    case 'document':
      readWord(parts, main, xml!, into);
      return true;
    case 'presentation':
      readPresentation(parts, main, xml!, into);
      return true;
    case 'workbook':
      readWorkbook(parts, main, xml!, into);
      return true;
    default:
      return false;
  }
}

/** Reads the text, then notes, headers and footers, each once. */
function readWord(parts: PackageParts, main: string, xml: string, into: Collector): void {
  const relations = relationsOf(parts, main, into);
  const styles = partsOf(relations, 'styles').map((part) => parts.readOptional(part) ?? '');
  const headings = new Set(styles.flatMap((part) => headingStyles(part, into)));
  const rulesOf = (part: string): TextRules => ({
    text: new Set(['t', '?:t']),
    breaks: new Set(['p', 'tab', 'br', 'cr', 'tc', '?:p']),
    // Elements to skip: deleted or moved text, the older form of content that also has a newer form, and pronunciations.
    skipped: new Set(['del', 'movefrom', '?:fallback', 'rt']),
    blocks: new Set(['p']),
    isHeading: (name, attributes) => name === 'pstyle' && headings.has(attributes.get('?:val') ?? ''),
    link: linksOf('hyperlink', parts, part, into),
  });
  readText(xml, rulesOf(main), into);
  for (const part of partsOf(relations, 'footnotes', 'endnotes', 'header', 'footer')) {
    const more = parts.readOptional(part);
    if (more !== undefined) readText(more, rulesOf(part), into);
  }
}

/**
 * Returns the ids of the styles for title and headings. The ids depend on the language of the program, but the names of these styles do
 * not.
 */
function headingStyles(xml: string, into: Collector): string[] {
  const ids: string[] = [];
  let id: string | undefined;
  const open = (name: string, attributes: Attributes): void => {
    if (name === 'style') id = attributes.get('?:styleid');
    else if (name === 'name' && id !== undefined && /^(?:title|heading \d)$/i.test(attributes.get('?:val') ?? ''))
      ids.push(id);
  };
  readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  return ids;
}

/** Reads the slides in order, each with its notes. */
function readPresentation(parts: PackageParts, main: string, xml: string, into: Collector): void {
  const relations = relationsOf(parts, main, into);
  const slides = new Set<string>();
  const open = (name: string, attributes: Attributes): void => {
    const slide = name === 'sldid' ? relations.get(attributes.get('?:id') ?? '') : undefined;
    if (slide && !slide.isExternal) slides.add(slide.target);
  };
  readPart(xml, { open, text: () => undefined, close: () => undefined }, into);
  for (const slide of slides) {
    for (const part of [slide, ...partsOf(relationsOf(parts, slide, into), 'notesSlide')]) {
      const more = parts.readOptional(part);
      if (more !== undefined) readText(more, slideRules(parts, part, into), into);
      if (into.text.full) return;
    }
  }
}

function slideRules(parts: PackageParts, part: string, into: Collector): TextRules {
  return {
    text: new Set(['?:t']),
    breaks: new Set(['?:p', '?:br', '?:tc']),
    // Fields are skipped, because they contain the number of the slide, or the date.
    skipped: new Set(['?:fld', '?:fallback']),
    blocks: new Set(['sp']),
    isHeading: (name, attributes) => name === 'ph' && /^(?:ctr)?title$/i.test(attributes.get('type') ?? ''),
    link: linksOf('?:hlinkclick', parts, part, into),
    linkEnd: '?:r',
  };
}

/**
 * Returns the function that finds the target of a link element. The element names a relation of its part; the relations are read at the
 * first use.
 */
function linksOf(element: string, parts: PackageParts, part: string, into: Collector): TextRules['link'] {
  let relations: ReturnType<typeof relationsOf> | undefined;
  return (name, attributes) => {
    if (name !== element) return undefined;
    relations ??= relationsOf(parts, part, into);
    return externalOf(relations, attributes.get('?:id'));
  };
}
