// Writes a test export to an S3-compatible store. Arguments: the output, and the options of the export as JSON. Prints the result as JSON.
import { writeTarget } from '../../../dist/tests/export.js';
import { writeMade } from './made-export.mjs';

const [output, options] = process.argv.slice(2);
const written = await writeTarget(output, { clock: Date.now, ...JSON.parse(options) }, writeMade);
console.log(JSON.stringify(written));
