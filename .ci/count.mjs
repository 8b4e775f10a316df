// Prints "<passed> <failed>" for a JSON report of vitest and the exit status of its run, and appends what failed to a
// file. A run without a report, or one that failed although no test did, counts as one failed test, and so does a file
// that cannot be loaded.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

const [report = '', status = '1', failures = '/dev/null', name = ''] = process.argv.slice(2);
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
    for (const { name: file } of broken) tell(file, ['could not be loaded']);
    for (const { name: file, assertionResults } of testResults) {
      for (const { status, fullName, failureMessages } of assertionResults) {
        if (status === 'failed') tell(`${file}: ${fullName}`, failureMessages);
      }
    }
  } catch {
    failed = 1;
  }
} else {
  failed = 1;
}
if (status !== '0' && failed === 0) failed = 1;
console.log(`${passed} ${failed}`);

function tell(what, messages) {
  const why = messages.map((message) => message.split('\n', 1)[0]).join('; ');
  appendFileSync(failures, `${name}: ${what}: ${why.slice(0, 500)}\n`);
}
