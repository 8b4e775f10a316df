// Writes a made export to a store of the kind of S3. Arguments: the output, and the options of the export as JSON.
// Prints what became of it as JSON.
import { writeTarget } from '../../../dist/tests/export.js';
import { writeMade } from './made-export.mjs';

const [output, options] = process.argv.slice(2);
const written = await writeTarget(output, { clock: Date.now, ...JSON.parse(options) }, writeMade);
console.log(JSON.stringify(written));
