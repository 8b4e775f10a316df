// Runs one job on a LevelDB table, and kills its own process with SIGKILL during a given row write.
// Arguments: the directory of the table, the job, its options as JSON, the write to die at (0: none), and the number of parse
// threads.
// Prints the report as JSON, with the number of row writes as `writes`.
import { jobs, openContext, openLevelStore } from '../../dist/tests/webcrawl.js';

const [directory, job, options, killAt, threads] = process.argv.slice(2);
const store = await openLevelStore(directory);
let writes = 0;

/** Passes everything on, one row at a time, so that the process can die between any two. */
const dying = {
  content: store.content,
  get: (...args) => store.get(...args),
  scan: (...args) => store.scan(...args),
  close: () => store.close(),
  async write(table, changes) {
    for (const change of changes) {
      writes += 1;
      const written = store.write(table, [change]);
      // The process dies at random before, during or after the row is written.
      if (writes === Number(killAt)) {
        if (writes % 2 === 0) await written;
        process.kill(process.pid, 'SIGKILL');
      }
      await written;
    }
  },
};

const crawl = await openContext({
  table: dying,
  settings: { 'fetcher.serverDelay': 0, 'db.updateMaxLinksInMemory': 1000, 'parser.threads': threads },
});
const report = await jobs[job](crawl, JSON.parse(options));
await crawl.close();
console.log(JSON.stringify({ ...report, writes }));
