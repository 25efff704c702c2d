import { acquireLock } from '../../src/state/files';

/** A process that takes the lock named on its command line and keeps it until it is killed. */
const lock = acquireLock(process.argv[2] ?? '', 0);
process.stdout.write(lock.ok ? 'held\n' : `${lock.failure.code}\n`);
process.stdin.resume();
