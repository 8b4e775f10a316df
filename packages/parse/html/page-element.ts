import type { Place } from './text/prose.js';

export interface PageElement {
  /** The name in lower case. */
  readonly tagName: string;
  /** Whether the element is HTML, not SVG or MathML. */
  readonly isHtml: boolean;
  /** The value of an attribute, by its name in lower case. */
  attribute(name: string): string | undefined;
  textInside(): string;
}

/** Elements that are displayed apart from the content before and after. */
const BREAKING = names(
  'address article aside blockquote body br button caption center col dd details dialog dir div dl dt fieldset',
  'figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li listing',
  'main menu nav ol optgroup option p plaintext pre rp rt search section select summary table tbody td textarea tfoot',
  'th thead title tr ul xmp',
);

const HEADINGS = names('h1 h2 h3 h4 h5 h6');

/** Elements whose text is code, or is not displayed. */
const SILENT = names('iframe noembed noframes script style template');

const HEAD = names('base html link meta script');

/** Elements that are displayed apart, but belong to the run of text around them. */
const WITHIN_RUNS = names('br rp rt');

const PLACES: ReadonlyMap<string, Place> = new Map([
  ['main', 'main'],
  ['article', 'article'],
  ['header', 'header'],
  ...[...names('aside button dialog footer menu nav noscript search select textarea title')].map(
    (name) => [name, 'apart'] as const,
  ),
]);

/** Elements whose attributes may exclude them from snippets, or mark them as the main content. */
export const MARKABLE: ReadonlySet<string> = names('div section span');

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

export interface Role {
  /** Whether the only effect of the element is that it is displayed apart from the content around it. */
  readonly onlyBreaks: boolean;
  readonly isBreaking: boolean;
  readonly isSilent: boolean;
  readonly isHeading: boolean;
  /** Whether the content of the element is a run of text of its own. */
  readonly endsRun: boolean;
  readonly place: Place | undefined;
  /** Whether snippets must not show the content of the element. */
  readonly isHidden: boolean;
  readonly isOfHead: boolean;
  readonly link: string | undefined;
}

/** Elements whose text is stored separately, or that have an effect on the elements inside. */
const HOLDING = names('noscript title');

const ROLES: ReadonlyMap<string, Role> = new Map(
  [...BREAKING, ...SILENT, ...LINK_ATTRIBUTES.keys(), ...HEAD, ...HOLDING].map((name) => [
    name,
    makeRole(name, PLACES.get(name), false),
  ]),
);

/** Roles of {@link MARKABLE} elements: with `data-nosnippet`, with a mark as main content, and with both. */
const [HIDDEN_ROLES, MAIN_ROLES, HIDDEN_MAIN_ROLES] = [
  markedRoles(undefined, true),
  markedRoles('main', false),
  markedRoles('main', true),
];

/** Makes a role. All roles are created here, so that V8 gives them the same hidden class. */
function makeRole(name: string, place: Place | undefined, isHidden: boolean): Role {
  return {
    onlyBreaks: !isHidden && ![SILENT, LINK_ATTRIBUTES, HEAD, HEADINGS, HOLDING].some((others) => others.has(name)),
    isBreaking: BREAKING.has(name),
    isSilent: SILENT.has(name),
    isHeading: HEADINGS.has(name),
    endsRun: (BREAKING.has(name) && !WITHIN_RUNS.has(name)) || PLACES.has(name),
    place,
    isHidden,
    isOfHead: HEAD.has(name),
    link: LINK_ATTRIBUTES.get(name),
  };
}

function markedRoles(place: Place | undefined, isHidden: boolean): ReadonlyMap<string, Role> {
  return new Map([...MARKABLE].map((name) => [name, makeRole(name, place, isHidden)]));
}

/** The role of elements of this name in lower case. Undefined: they have no effect. */
export function roleOf(name: string): Role | undefined {
  return ROLES.get(name);
}

export function roleOfElement(element: Pick<PageElement, 'tagName' | 'attribute'>): Role | undefined {
  const { tagName } = element;
  const role = ROLES.get(tagName);
  if (!MARKABLE.has(tagName)) return role;
  const isHidden = element.attribute('data-nosnippet') !== undefined;
  const isMain = role !== undefined && tokens(element.attribute('role'))[0] === 'main';
  if (isHidden) return (isMain ? HIDDEN_MAIN_ROLES : HIDDEN_ROLES).get(tagName);
  return isMain ? MAIN_ROLES.get(tagName) : role;
}

/** Splits a list of words, such as `rel`, at white space. The words are in lower case. */
export function tokens(value: string | undefined): string[] {
  return value?.toLowerCase().match(/[^\t\n\f\r ]+/g) ?? [];
}

function names(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.join(' ').split(' '));
}
