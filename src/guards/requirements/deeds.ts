/* What is loaded only where a rule says `on:`, and a call may have such an effect. */

export { doingOf } from '../../core/doing';
export * as after from './after';
export * as say from './effect-messages';
