/* What is loaded only where a rule says `on:`, and a call may have such an effect. */

export * as after from './after';
export * as say from './effect-messages';
export { type Doing, doingOf } from './on';
