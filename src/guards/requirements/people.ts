/* What is loaded only where a person may be about to answer. */

export * as say from './approval-messages';
export { forgetSession } from './approvals';
export * as channels from './channels';
export * as others from './other-channels';
