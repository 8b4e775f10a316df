import type { Command } from 'commander';
import { defined } from '../../../packages/webcrawl/names.js';
import { library } from '../../library.js';
import { EXIT, sayWaiting, tableLocation, type Cli } from '../../cli.js';
import { bytes, jsonLine, quantity, safeLines, say, write } from '../../output/output.js';

export function addBackup(program: Command, cli: Cli): void {
  program
    .command('backup <folder>')
    .summary('back up the table, even while a crawl runs')
    .description(
      'Makes a backup in the folder, with all rows as they are at one moment, and all bodies. The backup is a folder named by the time. ' +
        'The command prints its path.',
    )
    .addHelpText(
      'after',
      `
A running crawl continues. Its writes wait while the files are linked, on most disks for less than a second. Files
that have not changed since the last backup in the folder are hard links to the files of that backup. So the next backup
needs disk space only for new files. You may remove old backups at any time. A backup gets its name when it is
complete. A stopped or killed backup leaves earlier backups unchanged.

A backup is a table: to restore it, copy it. The search index is not in the backup: webcrawl index --all rebuilds it. Use
one folder for each table, best on another disk.

Examples:
  webcrawl backup /backup/crawl
  webcrawl repair --files --table /backup/crawl/20261126T031200Z    # checks it
  cp -a /backup/crawl/20261126T031200Z ./webcrawl-data    # restores it`,
    )
    .action(async (to: string) => {
      const { io } = cli;
      const { json, quiet, wait } = cli.options();
      const { backupTable } = await library();
      const made = await backupTable({
        table: tableLocation(cli),
        to,
        signal: io.signal,
        onWait: sayWaiting(cli),
        ...defined({ waitSeconds: wait }),
      });
      if (!made) {
        cli.exitCode = EXIT.interrupted;
        return;
      }
      const { directory, files, bytes: size, sharedFiles, sharedBytes } = made;
      await write(io.stdout, json ? jsonLine(made) : `${safeLines(directory)}\n`);
      if (json || quiet) return;
      const shared =
        sharedFiles > 0 ? `, of these ${quantity(sharedFiles, 'file')} of ${bytes(sharedBytes)} shared` : '';
      say(io, `Backup of ${quantity(files, 'file')} of ${bytes(size)}${shared}.`);
    });
}
