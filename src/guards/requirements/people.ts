/* Loaded only if a rule needs a person's approval. */

export * as say from './approval-messages';
export { forgetSession } from './approvals';
export * as channels from './channels';
export * as otherChannels from './other-channels';
