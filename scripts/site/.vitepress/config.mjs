import { defineConfig } from 'vitepress';
import { documentOf, pageOf, siteLink } from '../links.mjs';
import { SECTIONS } from '../navigation.mjs';

/** The anchors that GitHub gives to headings, which the links of the documents use. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** Documents are plain Markdown, without HTML or templates. */
function plain(md) {
  md.core.ruler.disable('emoji');
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;');
  md.core.ruler.push('links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const { href, isCopy } = siteLink(documentOf(env.relativePath), token.attrGet('href'));
      token.attrSet('href', href);
      // The router of the pages must not handle links that open in a new tab.
      if (isCopy) token.attrSet('target', '_blank');
    }
  });
}

export default defineConfig({
  srcDir: '.pages',
  lang: 'en',
  title: 'webcrawl',
  description: 'A web crawler that keeps everything it knows about every URL in one sorted table',
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  // check.mjs checks all links, with their anchors.
  ignoreDeadLinks: true,
  markdown: {
    html: false,
    linkify: false,
    attrs: { disable: true },
    anchor: { slugify },
    languageAlias: { 'console meanwhile': 'console' },
    config: plain,
  },
  themeConfig: {
    version: process.env['WEBCRAWL_VERSION'],
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    sidebar: SECTIONS.map(({ text, pages }) => ({
      text,
      items: pages.map(({ text: title, file }) => ({
        text: title,
        link: `/${pageOf(file).replace(/(index)?\.md$/, '')}`,
      })),
    })),
  },
});
