// Prints a table of the suites, longest first, and "N passed, N failed". Fails where a test failed, or none ran.
import { readFileSync } from 'node:fs';

const [file, seconds] = process.argv.slice(2);
const rows = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.split('\t'))
  .map(([name, ...figures]) => [name, ...figures.map(Number)])
  .map(([name, passed, failed, took, cpu]) => ({ name, passed, failed, took, cpu }))
  .sort((a, b) => b.took - a.took);
const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
const line = (name, ...figures) => name.padEnd(12) + figures.map((figure) => String(figure).padStart(9)).join('');
console.log(line('suite', 'passed', 'failed', 'seconds', 'CPU s'));
for (const { name, passed, failed, took, cpu } of rows) console.log(line(name, passed, failed, took, cpu));
console.log(`Two lanes, ${seconds} s in all, ${sum('cpu')} CPU seconds`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
