// Says that it is ready, and appends its second argument to the file in its first once it is told to go.
import { appendFileSync, readSync, writeSync } from 'node:fs';

const [file, text] = process.argv.slice(2);
writeSync(1, 'ready');
readSync(0, Buffer.alloc(2));
appendFileSync(file, text);
