/**
 * What a workflow writes itself, its plan among it, relative to the root: evidence must not lapse because it
 * was recorded, nor because a task was ticked off.
 */
export const NOT_WORK = ['.isdlc', '.holdpoint', 'docs/isdlc'];
