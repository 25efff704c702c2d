export { commandLines, commandsOf } from './command-lines';
export { effectsOf } from './effects';
