import type { bindings } from '../node/binding';
import { KNOWN_NODES } from '../node/known';
import type { Slicing } from '../process/text-of';
import { CODE_FOLDER, ENDINGS_AT, type FirstChunk, HEADER_BYTES, LARGEST_BYTES } from './first-chunk';

/*
 * What a host calls, as `hook.cjs` and `stop-hook.cjs`: loads the first chunk with the code that V8 made of it
 * before, and leaves everything else to it. This file is compiled anew at every event, and a function costs
 * twice there, so it has none, and calls none of Node's that would be compiled too (see `src/node`). Whatever
 * is wrong with the installation lets the event pass.
 */
try {
  const first = `${__dirname}/${__FIRST__}.cjs`;
  const build = `${__BUILD__}-${process.version}-${process.arch}`;
  const home = process.env['HOME'] ?? '';
  const cacheFile = `${home}${CODE_FOLDER}/any.${__FIRST__}.${build}`;
  if (KNOWN_NODES.includes(` ${process.version} `)) {
    const { binding } = process as unknown as NonNullable<typeof bindings>;
    const files = binding('fs');
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = binding('constants').fs;
    const bytes = new Uint8Array(LARGEST_BYTES);
    const sourceFd = files.open(first, O_RDONLY, 0);
    let end = 0;
    for (let read = -1; read !== 0; end += read)
      read = files.read(sourceFd, bytes, end, LARGEST_BYTES - end, -1);
    files.close(sourceFd);
    const source = (Buffer.prototype as unknown as Slicing).latin1Slice.call(bytes, 0, end);
    let fd: number | undefined;
    let code: Uint8Array | undefined;
    let endings = 0;
    try {
      // A home that is no place of its own would let the directory we stand in give us code.
      if (home[0] !== '/') throw home;
      fd = files.open(cacheFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
      const length = files.read(fd, bytes, 0, LARGEST_BYTES, -1);
      const middle = (length + HEADER_BYTES) / 2;
      // The same bytes twice: only what is whole is given to V8, which would crash on anything else.
      if (
        length >= HEADER_BYTES &&
        binding('buffer').compare(bytes.subarray(HEADER_BYTES, middle), bytes.subarray(middle, length)) === 0
      ) {
        endings = bytes[ENDINGS_AT] as number;
        if (length > HEADER_BYTES) code = bytes.subarray(HEADER_BYTES, middle);
      }
    } catch {
      // Nothing is kept yet, or there is no place for it.
    }
    if (fd !== undefined) files.close(fd);
    const Script = binding('contextify').ContextifyScript;
    const script = new Script(source, first, 0, 0, code, false, undefined, Symbol(first));
    const module: { exports: Partial<FirstChunk> } = { exports: {} };
    script.runInContext(null, -1, true, false, false)(module.exports, require, module, require);
    if (script.cachedDataRejected === true) endings = 0;
    module.exports.run?.({ script, endings, cacheFile, build, dir: __dirname, require, bytes });
  } else {
    const { startAnywhere } = require('./start-anywhere.cjs') as typeof import('./start-anywhere');
    startAnywhere({ first, cacheFile, build, dir: __dirname, require });
  }
} catch (error) {
  const { writeSync } = require('node:fs') as typeof import('node:fs');
  const why = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  const broken = `the installation is broken (${why})`;
  if (__FIRST__ === 'run-stop-hook') {
    const message = `⚠ Stop hook error — ${broken}. Reinstall holdpoint.`;
    writeSync(1, `${JSON.stringify({ decision: 'approve', status: 'error', message })}\n`);
  } else {
    writeSync(2, `holdpoint: ${broken}; the event was let through unchecked. Reinstall holdpoint.\n`);
  }
  process.exit(0);
}
