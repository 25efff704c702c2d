/** The parser for whole shell syntax: large, so it lies in a file of its own and is loaded only when it is needed. */
export { forEachChild, parse } from 'unbash';
