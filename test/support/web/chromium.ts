import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) =>
  existsSync(path),
);

/**
 * Starts the Chromium of the system, without a window.
 * @throws Error if there is none
 */
export function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('expected Chromium, for instance by apt-get install chromium');
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

/** The problems that axe finds in a page, by WCAG 2.2 up to AA and by good practice, each with its place. */
export async function wrongIn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>('axe.run()');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Number of pixels by which a page is wider than its visible part. */
export function hiddenWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** The name of the focused element, and its outline. */
export async function focused(page: Page): Promise<{ readonly name: string; readonly outline: string }> {
  const [name, outline] = await page.evaluate<[string, string]>(`[
    document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent,
    getComputedStyle(document.activeElement).outlineStyle,
  ]`);
  return { name: name.trim(), outline };
}

/** Whether each character has a glyph of its own in the font of the page: without a font all are drawn as the same box. */
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
