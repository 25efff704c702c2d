/** What the hook loads of this room; the parser lies in a file of its own. */
export { commandLines } from './command-lines';
export { effectsOf } from './effects';
