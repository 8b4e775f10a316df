// Prints a table of the suites, longest first, and "N passed, N failed". Fails where a test failed, or none ran.
import { readFileSync } from 'node:fs';

const [file, seconds] = process.argv.slice(2);
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([name, passed, failed, took]) => ({ name, passed: Number(passed), failed: Number(failed), took: Number(took) }))
  .sort((a, b) => b.took - a.took);
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
const line = (name, passed, failed, took) =>
  `${name.padEnd(12)}${String(passed).padStart(9)}${String(failed).padStart(9)}${String(took).padStart(9)}`;
console.log(line('suite', 'passed', 'failed', 'seconds'));
for (const { name, passed, failed, took } of rows) console.log(line(name, passed, failed, took));
console.log(`Two lanes, ${seconds} s in all`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
