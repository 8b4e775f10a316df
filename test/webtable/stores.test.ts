import { STORES } from '../support/open-stores.js';
import { storeConformance } from './store-conformance.js';

for (const [name, open] of Object.entries(STORES)) storeConformance(name, open);
