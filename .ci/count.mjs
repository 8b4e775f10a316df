// Prints "<passed> <failed>" for a JSON report of vitest and the exit status of its run. A run without a report, or one
// that failed although no test did, counts as one failed test, and so does a file that can not be loaded.
import { existsSync, readFileSync } from 'node:fs';

const [report = '', status = '1'] = process.argv.slice(2);
let passed = 0;
let failed = 0;
if (existsSync(report)) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
    // A file that could not be loaded has no tests to count.
    const broken = testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && !assertionResults.length,
    );
    passed = numPassedTests;
    failed = numFailedTests + broken.length;
  } catch {
    failed = 1;
  }
} else {
  failed = 1;
}
if (status !== '0' && failed === 0) failed = 1;
console.log(`${passed} ${failed}`);
