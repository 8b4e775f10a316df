import { de } from './de.js';
import { en } from './en.js';
import { es } from './es.js';
import { fr } from './fr.js';
import { ja } from './ja.js';
import { zh } from './zh.js';

export type { Texts } from './texts.js';

/** The texts by language. */
export const TEXTS = { en, de, es, fr, ja, zh } as const;
