import { readableUrl } from '../../url/index.js';
import { html, type Html } from '../http/html.js';

/** The address of a link where it is one of the web; undefined of any other, such as one that runs a script. */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\/[^/]/i.test(url) ? url : undefined;
}

/** A link to a page of somebody else, who learns nothing of it; text alone where it leads out of the web. */
export function outLink(url: string, text: Html | string): Html {
  const href = webAddress(url);
  if (href === undefined) return html`${text}`;
  return html`<a href="${href}" rel="nofollow noreferrer noopener">${text}</a>`;
}

/** A URL for the eye, set apart so that its direction changes nothing around it. */
export function shownUrl(url: string): Html {
  return html`<bdi dir="ltr">${(readableUrl(url) ?? url).replace(/^https?:\/\//i, '')}</bdi>`;
}

/** The attributes of an element with text of a language; only the direction where that is not known, or no tag (BCP 47). */
export function languageOf(language: string | undefined): Html {
  const isTag = language !== undefined && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(language);
  return isTag ? html`lang="${language}" dir="auto"` : html`lang="" dir="auto"`;
}

/** The name of a language in English; undefined where it has none. */
export function languageName(language: string | undefined): string | undefined {
  if (!language) return undefined;
  try {
    const name = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }).of(language);
    return name ?? undefined;
  } catch {
    return undefined;
  }
}

/** A day, for people and for machines. */
export function dayOf(ms: number): Html {
  const date = new Date(ms);
  const text = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}
