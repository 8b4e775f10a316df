import { mainContent, type Field, type PageRow, type Settings, type SiteTemplate } from '../../core/index.js';
import { DOCUMENT_FIELDS, type PageView } from '../stated/page-view.js';
import type { Block } from './blocks.js';

export const markdownField = {
  needs: DOCUMENT_FIELDS,
  type: 'STRING',
  load: async (settings: Settings) => {
    const { loadMarkdown } = await import('./write-markdown.js');
    const [read, write] = await Promise.all([loadBlocks(settings), loadMarkdown()]);
    return (view: PageView) => textOrNone(write(read(view)));
  },
} as const;

export const mainTextField = {
  needs: DOCUMENT_FIELDS,
  type: 'STRING',
  load: async (settings: Settings) => {
    const [read, { plainText }] = await Promise.all([loadBlocks(settings), import('./plain-text.js')]);
    return (view: PageView) => textOrNone(plainText(read(view)));
  },
} as const;

const blocksOf = new WeakMap<PageView, readonly Block[]>();
const templates = new WeakMap<PageRow<Field>, SiteTemplate>();

/** Has the main content of a row read by the template of its site. Call it before the main content is computed. */
export function readWithTemplate(row: PageRow<Field>, template: SiteTemplate): void {
  templates.set(row, template);
}

/**
 * Loads the function that reads the main content of a page into blocks. That function returns no blocks if the page is not HTML or has no
 * text. The blocks of a view are read once and shared. Reading changes the tree of the page, so the tree is from `takeDocument`.
 */
export async function loadBlocks(settings: Settings): Promise<(view: PageView) => readonly Block[]> {
  const { readBlocks } = await import('./read-blocks.js');
  return (view) => {
    let blocks = blocksOf.get(view);
    if (!blocks) {
      const document = view.takeDocument();
      const body = document && mainContent({ url: view.url, document }, settings, templates.get(view.row));
      blocksOf.set(view, (blocks = body ? readBlocks(body, view.step) : []));
    }
    return blocks;
  };
}

function textOrNone(text: string): string | undefined {
  return text === '' ? undefined : text;
}
