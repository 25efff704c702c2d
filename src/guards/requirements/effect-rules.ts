/* Loaded only if a rule has `on:` and a call may have one of those effects. */

export { callEffects } from '../../core/call-effects';
export * as breaches from './breaches';
export * as say from './effect-messages';
export * as snapshots from './snapshot';
