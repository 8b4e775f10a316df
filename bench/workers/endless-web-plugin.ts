// The web of `endless-web.ts`, as a plugin.
import { answerOf } from '../lib/endless-web.js';
import { webWithoutNetwork } from '../lib/made-page.js';

export default webWithoutNetwork('endless-web', answerOf);
