import type { JsonValue } from '../../core/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import { namedValues } from './bar.js';
import { outLink, shownUrl, webAddress } from './untrusted.js';

const MAX_FIGURES = 24;
const MAX_EXAMPLES = 5;
const MAX_CHARACTERS = 300;

/** The evidence of a proposed rule, as names and values. An imported rule may have any evidence. */
export function evidenceList(evidence: JsonValue): Html {
  const entries: [string, JsonValue][] =
    typeof evidence === 'object' && evidence !== null && !Array.isArray(evidence)
      ? Object.entries(evidence)
      : [['evidence', evidence]];
  return namedValues(
    'pairs',
    entries.slice(0, MAX_FIGURES).map(([name, value]) => [nameOf(name), valueOf(value)] as const),
  );
}

/** Turns `domainRows` and `domain_rows` into words. */
function nameOf(name: string): string {
  const words = name
    .slice(0, 60)
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function valueOf(value: JsonValue, isNested = false): Html | string {
  if (typeof value === 'number') return figures.number(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') {
    return webAddress(value) === undefined ? cut(value) : outLink(value, html`${shownUrl(cut(value))}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isNested) {
    const entries = Object.entries(value).slice(0, MAX_FIGURES);
    return html`${entries.map(([name, each]) => html`<span class="example">${nameOf(name)}: ${valueOf(each, true)}</span>`)}`;
  }
  if (Array.isArray(value)) {
    return html`${value.slice(0, MAX_EXAMPLES).map((each) => html`<span class="example">${valueOf(each as JsonValue, true)}</span>`)}`;
  }
  return cut(JSON.stringify(value));
}

const cut = (text: string): string => (text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text);
