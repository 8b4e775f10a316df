/** What a reader of pages sees of an element, whether a tree holds it or the scanner passes over it. */
export interface PageElement {
  /** In lower case. */
  readonly tagName: string;
  /** Whether it is one of HTML, and not of SVG or MathML. */
  readonly isHtml: boolean;
  /** The value of an attribute, by its name in lower case. */
  attribute(name: string): string | undefined;
  /** The text directly in it. */
  textInside(): string;
}

/** Elements that people see apart from what is before and after. */
const BREAKING = names(
  'address article aside blockquote body br button caption center col dd details dialog dir div dl dt fieldset',
  'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li listing',
  'main menu nav ol optgroup option p plaintext pre rp rt search section select summary table tbody td textarea tfoot',
  'th thead title tr ul xmp',
);

const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** Elements whose text is code, or is shown by none. */
const SILENT = names('iframe noembed noframes script style template');

/** Elements that the head reads. */
const HEAD = names('base html link meta script');

/** Which attribute of an element is a link. */
const LINK_ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['form', 'action'],
  ['frame', 'src'],
  ['iframe', 'src'],
  ['img', 'src'],
  ['link', 'href'],
  ['script', 'src'],
  ['source', 'src'],
]);

/** What elements of one name are to a reader of pages. */
export interface Role {
  /** It is seen apart from what is around it, and that is all. */
  readonly onlyBreaks: boolean;
  readonly isBreaking: boolean;
  readonly isSilent: boolean;
  readonly isHeading: boolean;
  /** It may say something of the page. */
  readonly isOfHead: boolean;
  /** Which attribute is a link. */
  readonly link: string | undefined;
}

/** Their text is kept apart, or it counts that they are open. */
const HOLDING = names('noscript title');

const ROLES: ReadonlyMap<string, Role> = new Map(
  [...BREAKING, ...SILENT, ...LINK_ATTRIBUTES.keys(), ...HEAD, ...HOLDING].map((name) => [
    name,
    {
      onlyBreaks: ![SILENT, LINK_ATTRIBUTES, HEAD, HEADINGS, HOLDING].some((others) => others.has(name)),
      isBreaking: BREAKING.has(name),
      isSilent: SILENT.has(name),
      isHeading: HEADINGS.has(name),
      isOfHead: HEAD.has(name),
      link: LINK_ATTRIBUTES.get(name),
    },
  ]),
);

/** Of elements of a name in lower case; undefined where there is nothing to do at them. */
export function roleOf(name: string): Role | undefined {
  return ROLES.get(name);
}

/** A set of space-separated tokens, such as `rel`, in lower case. */
export function tokens(value: string | undefined): string[] {
  return value?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
}

function names(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
