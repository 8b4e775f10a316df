/** A colour, and the colour of text on it. */
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
