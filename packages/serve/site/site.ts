import { createHash } from 'node:crypto';
import { TEXTS, type Texts } from '../texts/index.js';
import { readLogo, type Logo } from './logo.js';
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
  /** Additional links in the header, by their text. The values are URLs, or paths on this server. Default: none. */
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
  /**
   * The path of the style sheet. The path contains a digest of the style sheet, so that a browser never uses an old version from its cache.
   */
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

interface Accent {
  readonly color: string;
  readonly on: string;
}

const LIGHT_BACKGROUND = '#fbfbf9';
const DARK_BACKGROUND = '#151917';
/** WCAG 2.2, 1.4.3. */
const MIN_CONTRAST = 4.5;

/**
 * Returns two variants of a colour: one for light pages and one for dark pages. The colour is made darker or lighter in small steps until
 * it is readable.
 */
export function accentsOf(color: string): { readonly light: Accent; readonly dark: Accent } {
  return { light: readable(color, LIGHT_BACKGROUND, 0), dark: readable(color, DARK_BACKGROUND, 255) };
}

/** Makes a colour readable on the colour `ground`. @param towards the grey to mix in: 0 (black) to 255 (white) */
function readable(color: string, ground: string, towards: number): Accent {
  const given = channelsOf(color);
  for (let step = 0; ; step++) {
    const mixed = given.map((channel) => Math.round(channel + ((towards - channel) * step) / STEPS));
    const hex = `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
    if (contrast(hex, ground) < MIN_CONTRAST && step < STEPS) continue;
    return { color: hex, on: contrast(hex, '#ffffff') >= contrast(hex, '#0d1512') ? '#ffffff' : '#0d1512' };
  }
}

const STEPS = 40;

/** The contrast of two colours, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
