import { ROW } from '../collect/row-table.js';
import { createRules } from '../rule.js';

const LIMITS = { slowMs: 5_000, largeBytes: 2_000_000, deepLinks: 5 };

export const DUPLICATE_RULES = createRules('duplicates', {
  'duplicate-content': {
    severity: 'warn',
    title: 'Pages with the same content, without a common canonical page',
    help: 'Keep one page. Redirect the others to it, or let them name it as canonical.',
    on: 'target',
    check(target, { rows }) {
      const { duplicates, row, url } = target;
      if (duplicates.total === 0 || row === undefined || !rows.is(row, ROW.indexable)) return undefined;
      return {
        message: `${duplicates.total === 1 ? '1 page has' : `${duplicates.total} pages have`} the content of ${url}.`,
        evidence: { pages: duplicates.total + 1 },
        sources: duplicates,
      };
    },
  },
});
export const SPEED_RULES = createRules('speed', {
  'page-slow': {
    severity: 'notice',
    title: 'A slow page',
    help: 'Find out why the server is slow for this page, or serve it from a cache.',
    on: 'page',
    check({ row, url }) {
      const { fetchMs = 0 } = row;
      if (fetchMs <= LIMITS.slowMs) return undefined;
      return {
        message: `${url} took ${(fetchMs / 1000).toFixed(1)} seconds.`,
        evidence: { milliseconds: Math.round(fetchMs) },
      };
    },
  },
  'page-large': {
    severity: 'notice',
    title: 'A large page',
    help: 'Split the page into several pages, or load parts of it later.',
    on: 'page',
    check({ row, url }) {
      const { bodyBytes = 0, contentType = '' } = row;
      if (bodyBytes <= LIMITS.largeBytes || !/html/.test(contentType)) return undefined;
      return { message: `${url} is ${(bodyBytes / 1e6).toFixed(1)} MB of HTML.`, evidence: { bytes: bodyBytes } };
    },
  },
  'page-deep': {
    severity: 'notice',
    title: 'A page that takes many clicks to reach',
    help: 'Link to the page from a page nearer to the start.',
    on: 'page',
    check({ row, url, isIndexable }) {
      const { distance = 0 } = row;
      if (!isIndexable || distance <= LIMITS.deepLinks) return undefined;
      return { message: `${url} is ${distance} links away from the start.`, evidence: { links: distance } };
    },
  },
});
export const DATA_RULES = createRules('data', {
  'jsonld-invalid': {
    severity: 'warn',
    title: 'A block of JSON-LD that is not valid JSON',
    help: 'Correct the JSON. Search engines ignore the whole block.',
    on: 'page',
    check: ({ facts, url }) =>
      facts.badJsonLd > 0
        ? { message: `${url} has JSON-LD that is no JSON.`, evidence: { blocks: facts.badJsonLd } }
        : undefined,
  },
  'image-no-alt': {
    severity: 'notice',
    title: 'Images without alternative text',
    help: 'Describe the image in alt. For a decorative image, write alt="".',
    on: 'page',
    check: ({ facts, url }) =>
      facts.imagesWithoutAlt > 0
        ? {
            message: `${url} has ${facts.imagesWithoutAlt} ${facts.imagesWithoutAlt === 1 ? 'image' : 'images'} without alt.`,
            evidence: { images: facts.imagesWithoutAlt },
          }
        : undefined,
  },
});
