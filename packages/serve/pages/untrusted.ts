import { readableUrl } from '../../core/index.js';
import { html, type Html } from '../http/html.js';

/**
 * Returns the address of a link if it is a web address. Undefined: the link has another kind of address, such as `javascript:`, which runs
 * a script.
 */
export function webAddress(url: string): string | undefined {
  return /^https?:\/\/[^/]/i.test(url) ? url : undefined;
}

/** Makes a link to another site, without a referrer. If the target is not a web address, only the text is returned. */
export function outLink(url: string, text: Html | string): Html {
  const href = webAddress(url);
  if (href === undefined) return html`${text}`;
  return html`<a href="${href}" rel="nofollow noreferrer noopener">${text}</a>`;
}

/** Shows a URL for people. The URL is in a `bdi` element, so that its text direction does not change the text around it. */
export function shownUrl(url: string): Html {
  return html`<bdi dir="ltr">${(readableUrl(url) ?? url).replace(/^https?:\/\//i, '')}</bdi>`;
}

/**
 * Returns the HTML attributes for text in a language (BCP 47). If the tag is unknown or invalid, it returns only the attribute for the
 * direction of text.
 */
export function languageOf(language: string | undefined): Html {
  const isTag = language !== undefined && /^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i.test(language);
  return isTag ? html`lang="${language}" dir="auto"` : html`lang="" dir="auto"`;
}

/** Returns the name of a language in the language of `locale`. Both are BCP 47 tags. Undefined: no name is known. */
export function languageName(language: string | undefined, locale: string): string | undefined {
  if (!language) return undefined;
  try {
    const name = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' }).of(language);
    return name ?? undefined;
  } catch {
    return undefined;
  }
}

/** Shows a day, in a form for people and a form for machines. */
export function dayOf(ms: number, locale = 'en-GB'): Html {
  const date = new Date(ms);
  const text = date.toLocaleDateString(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}

/** Shows a time to the minute in UTC, in a form for people and a form for machines. */
export function momentOf(ms: number): Html {
  const text = new Date(ms).toISOString();
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
