import type { CreateFinder } from './candidate.js';
import { uselessPrefixes } from './useless-prefix.js';

/** All finders; every domain is shown to each of them. */
export const FINDERS: readonly CreateFinder[] = [uselessPrefixes];
