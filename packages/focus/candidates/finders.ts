import type { CreateFinder } from './candidate.js';
import { calendars } from './calendars.js';
import { uselessParameters } from './parameters.js';
import { uselessPrefixes } from './useless-prefix.js';
import { wwwTwins } from './www-twins.js';

export const FINDERS: readonly CreateFinder[] = [uselessPrefixes, uselessParameters, calendars, wwwTwins];
