/** Content within a line. The names are those of mdast, except for `sup` and `sub`, which mdast does not have. */
export type Inline = Text | InlineCode | Break | Image | InlineMath | Marked;

interface Text {
  readonly type: 'text';
  value: string;
}

interface InlineCode {
  readonly type: 'inlineCode';
  value: string;
}

interface Break {
  readonly type: 'break';
}

interface Image {
  readonly type: 'image';
  readonly url: string;
  readonly alt: string;
}

/** A formula in TeX, within a line. */
interface InlineMath {
  readonly type: 'inlineMath';
  readonly value: string;
}

export interface Marked {
  readonly type: 'link' | 'strong' | 'emphasis' | 'delete' | 'sup' | 'sub';
  /** The target of a link. Absent for other marks. */
  readonly url?: string;
  children: Inline[];
}

export type Block = Paragraph | Heading | List | Quote | Code | Table | Rule | Formula;

interface Paragraph {
  readonly type: 'paragraph';
  readonly children: Inline[];
}

/** A heading; 1 is the highest. */
export interface Heading {
  readonly type: 'heading';
  readonly depth: 1 | 2 | 3 | 4 | 5 | 6;
  readonly children: Inline[];
}

export interface List {
  readonly type: 'list';
  readonly ordered: boolean;
  readonly start: number | null;
  /** Whether the items are separated by blank lines. */
  readonly spread: boolean;
  readonly children: Item[];
}

export interface Item {
  readonly type: 'listItem';
  /** Whether the task of the item is done. Absent: the item is no task. */
  readonly checked?: boolean;
  /** Whether the blocks of the item are separated by blank lines. */
  readonly spread: boolean;
  readonly children: Block[];
}

interface Quote {
  readonly type: 'blockquote';
  readonly children: Block[];
}

export interface Code {
  readonly type: 'code';
  readonly lang: string | null;
  readonly value: string;
}

export interface Table {
  readonly type: 'table';
  readonly children: Row[];
}

export interface Row {
  readonly type: 'tableRow';
  readonly children: { readonly type: 'tableCell'; readonly children: Inline[] }[];
}

interface Rule {
  readonly type: 'thematicBreak';
}

interface Formula {
  readonly type: 'math';
  readonly value: string;
}
