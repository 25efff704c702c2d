// Does what `nc -w SECONDS -U SOCKET` does, for machines that have no such nc: carries standard input to a socket and
// everything that comes back to standard output, and gives up where nothing moves for so long.
import { connect } from 'node:net';

const [, seconds, , path] = process.argv.slice(2);
const socket = connect({ path, allowHalfOpen: true });
socket.setTimeout(Number(seconds) * 1000, () => process.exit(0));
socket.on('error', () => process.exit(1));
// What was written last may still be on its way into the pipe.
socket.on('end', () => process.stdout.write('', () => process.exit(0)));
socket.pipe(process.stdout);
process.stdin.pipe(socket, { end: false });
