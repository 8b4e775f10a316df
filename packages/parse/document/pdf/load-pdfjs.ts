import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export type Pdfjs = Awaited<ReturnType<typeof load>>;

/**
 * Loads pdfjs-dist, without the parts that only drawing needs. Undefined: the package is not installed. Call this only in a process that
 * does nothing else, because it changes global objects.
 */
export async function loadPdfjs(): Promise<Pdfjs | undefined> {
  try {
    return await load();
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

async function load() {
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  standInForDrawing();
  let failedFonts = 0;
  // pdfjs-dist reports an unknown or broken font only in a warning. It leaves out the text in this font.
  Reflect.set(console, 'warn', (message: unknown) => {
    if (String(message).startsWith('Warning: loadFont - ')) failedFonts++;
  });
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  return {
    getDocument,
    /** The folder of the character maps. A document may name one of them. */
    cMapUrl: `${join(folder, 'cmaps')}/`,
    /** Number of fonts that failed to load so far. */
    failedFonts: () => failedFonts,
  };
}

/** Puts empty classes in place of the native package, which takes 30 MB of memory. Only drawing needs that package. */
function standInForDrawing(): void {
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D'])
    if (!(name in globalThis)) Reflect.set(globalThis, name, class {});
  const { getBuiltinModule } = process;
  Reflect.set(process, 'getBuiltinModule', (id: string) => (id === 'module' ? undefined : getBuiltinModule(id)));
}
