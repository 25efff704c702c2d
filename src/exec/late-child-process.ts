/**
 * `node:child_process`, loaded when it is first wanted: it brings sockets, datagrams and all kinds of streams with it,
 * which takes a process longer than to start a program does.
 */
export function childProcess(): typeof import('node:child_process') {
  return require('node:child_process');
}
