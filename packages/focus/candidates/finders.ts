import type { CreateFinder } from './candidate.js';
import { calendars } from './calendars.js';
import { duplicateSections } from './duplicate-sections.js';
import { uselessParameters } from './parameters.js';
import { pathFacets } from './path-facets.js';
import { uselessPrefixes } from './useless-prefix.js';
import { wwwTwins } from './www-twins.js';

export const FINDERS: readonly CreateFinder[] = [
  uselessPrefixes,
  uselessParameters,
  pathFacets,
  calendars,
  duplicateSections,
  wwwTwins,
];
