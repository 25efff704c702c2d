/* Loaded only if a rule has `on:` and a call may have one of those effects. */

export { doingOf } from '../../core/doing';
export * as after from './after';
export * as say from './effect-messages';
