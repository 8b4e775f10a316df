import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/**
 * Starts the Chromium of the system, without a window.
 * @throws Error where there is none
 */
export function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('expected Chromium, for instance by apt-get install chromium');
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** Texts that have less contrast with their ground than WCAG 2.2 asks for (1.4.3). */
export function lowContrast(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(LOW_CONTRAST);
}

/** Pixels by which a page is wider than what is seen of it. */
export function hiddenWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Name of what has the focus, and how it is outlined. */
export async function focused(page: Page): Promise<{ readonly name: string; readonly outline: string }> {
  const [name, outline] = await page.evaluate<[string, string]>(`[
    document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent,
    getComputedStyle(document.activeElement).outlineStyle,
  ]`);
  return { name: name.trim(), outline };
}

/** Whether each character has a shape of its own in the font of the page: where no font has it, all are drawn as one box. */
export function hasShapes(page: Page, characters: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const shape = (character) => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 40, height: 40 });
      const context = canvas.getContext('2d');
      context.font = '30px ' + getComputedStyle(document.body).fontFamily;
      context.fillText(character, 2, 32);
      return canvas.toDataURL();
    };
    const characters = [...${JSON.stringify(characters)}];
    return new Set(characters.map(shape)).size === new Set(characters).size;
  })()`);
}

const LOW_CONTRAST = `(() => {
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const part = (each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * part(r / 255) + 0.7152 * part(g / 255) + 0.0722 * part(b / 255);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if ((colour[3] ?? 1) > 0) return colour;
    }
    return [255, 255, 255];
  };
  const low = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || ['SCRIPT', 'STYLE'].includes(element.tagName) || !element.checkVisibility()) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(node.textContent.trim());
  }
  return low;
})()`;
