import { createHash } from 'node:crypto';
import { TEXTS, type Texts } from '../texts/index.js';
import { readLogo, type Logo } from './logo.js';
import { accentsOf } from './accent.js';
import { boxScript } from './box.js';
import { STYLE } from './style.js';

/** Name, picture, colour, language and links of the search page. */
export interface SiteOptions {
  /** The name of the site. Default: `webcrawl`. */
  readonly name?: string;
  /** The file of a picture for the header. Default: none. */
  readonly logo?: string;
  /** The colour of buttons and other accents, as `#rrggbb`. Default: a green. */
  readonly color?: string;
  /** Language of the search page. Default: `en`. */
  readonly language?: keyof typeof TEXTS;
  /** Further links in the header, by their text. The values are URLs, or paths on this server. Default: none. */
  readonly links?: Readonly<Record<string, string>>;
}

export interface Site {
  readonly name: string;
  /** Whether the site has a name of its own, other than `webcrawl`. */
  readonly isNamed: boolean;
  readonly language: string;
  readonly texts: Texts;
  readonly links: readonly (readonly [text: string, to: string])[];
  readonly logo?: Logo;
  /** The path of the picture. It contains a digest of the picture. */
  readonly logoPath?: string;
  readonly style: string;
  /** The path of the style sheet. The path contains a digest of the style sheet, so that a browser never uses an old version from its cache. */
  readonly stylePath: string;
  /** The script of the search box for pages of other sites. */
  readonly box: string;
  readonly icon: string;
}

export interface Look {
  readonly site: Site;
  /** Whether the viewer may change rules here. Such a viewer sees the dashboard, the rules, and hints for the command line. */
  readonly isOperator: boolean;
}

const NAME = 'webcrawl';
const COLOR = '#17695a';

/** @throws CrawlError BAD_SETTING when the picture cannot be used */
export async function createSite({
  name = NAME,
  logo,
  color = COLOR,
  language = 'en',
  links = {},
}: SiteOptions): Promise<Site> {
  const picture = logo === undefined || logo === '' ? undefined : await readLogo(logo);
  const { light, dark } = accentsOf(color);
  const style =
    color === COLOR
      ? STYLE
      : `${STYLE}\n:root { --accent: ${light.color}; --on-accent: ${light.on}; }\n` +
        `@media (prefers-color-scheme: dark) { :root { --accent: ${dark.color}; --on-accent: ${dark.on}; } }`;
  return {
    name,
    isNamed: name !== NAME,
    language,
    texts: TEXTS[language],
    links: Object.entries(links),
    ...(picture && { logo: picture, logoPath: `/logo?v=${digestOf(picture.bytes)}` }),
    style,
    box: boxScript(TEXTS[language], { light: light.color, dark: dark.color }),
    stylePath: `/style.css?v=${digestOf(style)}`,
    icon:
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="${light.color}"/>` +
      `<circle cx="14" cy="14" r="6.5" fill="none" stroke="${light.on}" stroke-width="3"/><path d="M19 19l6.5 6.5" stroke="${light.on}" stroke-width="3" stroke-linecap="round"/></svg>\n`,
  };
}

function digestOf(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12);
}
