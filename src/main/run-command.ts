import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chunkLoader } from './code-cache';

/** The profile of the command line, beside those of events. */
const COMMAND = 200;

type CommandLine = typeof import('../cli/main');

/** The commands that hosts call take the fast path; everything else loads the command line. */
export function runCommand(args: readonly string[]): void {
  const asksForHelp = args.includes('--help') || args.includes('-h');
  const isForHosts = args[0] === 'hook' || (args[0] === 'gates' && args[1] === 'stop-hook');
  if (isForHosts && !asksForHelp) {
    // hook.cjs runs when it is loaded, and reads its arguments from process.argv.
    process.argv = [...process.argv.slice(0, 2), ...args.slice(1)];
    require('./hook.cjs');
    return;
  }
  const file = pathToFileURL(join(__dirname, 'cli', 'main.mjs')).href;
  const loader = chunkLoader(__dirname, require, process.env['HOME']);
  void import(file).then(async (commandLine: CommandLine) => {
    process.exitCode = await commandLine.main(args, loader);
    // Only if the cache exists already: a first command must not create anything in a home directory.
    if (loader.compiled.length === 0 || !existsSync(loader.dir ?? '')) return;
    const { saveCompiledCode } = loader.load('run') as typeof import('./run');
    saveCompiledCode(loader, COMMAND);
  });
}
